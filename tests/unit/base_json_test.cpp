#include "base/json.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(Json, StringsAreEscaped) {
  EXPECT_EQ(quoted("plain"), "\"plain\"");
  EXPECT_EQ(quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quoted("\n\t\x01"), "\"\\n\\t\\u0001\"");
  EXPECT_EQ(quoted("φ⊥😀"), "\"φ⊥😀\"");
}

TEST(Json, WhatIsNoUtf8IsReplaced) {
  const std::string mark = "\xef\xbf\xbd";
  for (std::string_view bad :
       {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf0\x80\x80\x80"})
    EXPECT_EQ(quoted(bad).substr(0, 4), "\"" + mark) << bad.size();
  EXPECT_EQ(quoted("a\xc3"), "\"a" + mark + "\"");
  EXPECT_EQ(quoted("\xc3x"), "\"" + mark + "x\"");
}

TEST(Json, NestedLayouts) {
  std::string out;
  JsonWriter json(out);
  json.begin_object(JsonWriter::Layout::lines);
  json.field("name", "x");
  json.key("empty");
  json.begin_array(JsonWriter::Layout::lines);
  json.end_array();
  json.key("rows");
  json.begin_array(JsonWriter::Layout::lines);
  for (uint32_t i = 0; i < 2; ++i) {
    json.begin_array();
    json.value(i);
    json.value(i == 1);
    json.null();
    json.end_array();
  }
  json.end_array();
  json.end_object();
  EXPECT_EQ(out,
            "{\n  \"name\": \"x\",\n  \"empty\": [],\n  \"rows\": [\n    [0, false, null],\n    [1, true, "
            "null]\n  ]\n}\n");
}

}  // namespace
}  // namespace braid
