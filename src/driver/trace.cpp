#include "driver/trace.h"

#include "base/json.h"
#include "driver/display_names.h"
#include "ir/compact.h"
#include "text/print.h"

namespace braid::driver {

using ir::BlockId;
using ir::Op;
using ssa::Event;
using ssa::EventKind;
using ssa::EventLog;

LoggedConstruction construct_logged(ir::Function& f, ssa::ConstructOptions options) {
  // Numbers in the log are those of the function at rest.
  if (!f.is_at_rest()) ir::compact(f);
  LoggedConstruction run{
      {}, options.algorithm, options.prune, std::string(f.name_text()), block_names(f), variable_names(f),
      {}};
  run.statements.resize(f.size());
  text::StatementPrinter printer(f);
  for (uint32_t i = 0; i < f.size(); ++i) {
    Op op = f.columns().stmt(i).op;
    if (op == Op::get || op == Op::set || op == Op::is_defined)
      printer.append(run.statements[i], static_cast<ir::Ref>(i));
  }
  options.log = &run.log;
  ssa::construct(f, options);
  return run;
}

bool has_variable(const LoggedConstruction& run, std::string_view variable) {
  for (const std::string& name : run.variables)
    if (name == variable) return true;
  return false;
}

namespace {

void write_list(JsonWriter& json, std::string_view key, std::span<const uint32_t> numbers) {
  json.key(key);
  json.begin_array();
  for (uint32_t number : numbers) json.value(number);
  json.end_array();
}

bool has_list(EventKind kind) {
  return kind == EventKind::post_order || kind == EventKind::frontier || kind == EventKind::live_in ||
         kind == EventKind::work;
}

void write_event(JsonWriter& json, const EventLog& log, const Event& event) {
  json.begin_object();
  json.field("kind", ssa::name(event.kind));
  auto number = [&](std::string_view key, uint32_t of) {
    if (of != Event::no_number) json.field(key, of);
  };
  number("track", event.track);
  number("block", index(event.block));
  number("other", index(event.other));
  number("value", event.value);
  number("phi", event.phi);
  number("statement", event.statement);
  number("version", event.version);
  number("before", event.before);
  if (event.reason != ssa::Reason::none) json.field("reason", ssa::name(event.reason));
  if (has_list(event.kind)) write_list(json, "list", log.list(event));
  json.end_object();
}

void write_run(JsonWriter& json, const LoggedConstruction& run) {
  using Layout = JsonWriter::Layout;
  json.begin_object(Layout::lines);
  json.field("function", std::string_view(run.function));
  json.field("algorithm", ssa::name(run.algorithm));
  json.field("prune", ssa::name(run.prune));
  auto strings = [&](std::string_view key, const std::vector<std::string>& texts) {
    json.key(key);
    json.begin_array();
    for (const std::string& text : texts) json.value(std::string_view(text));
    json.end_array();
  };
  strings("blocks", run.blocks);
  strings("variables", run.variables);
  json.key("mentions");
  json.begin_array(Layout::lines);
  for (uint32_t i = 0; i < run.statements.size(); ++i) {
    if (run.statements[i].empty()) continue;
    json.begin_object();
    json.field("statement", i);
    json.field("text", std::string_view(run.statements[i]));
    json.end_object();
  }
  json.end_array();
  json.key("tracks");
  json.begin_array(Layout::lines);
  for (const EventLog::TrackInfo& track : run.log.track_list()) {
    json.begin_object();
    json.field("variable", index(track.variable));
    json.field("flag", track.is_flag);
    json.end_object();
  }
  json.end_array();
  json.key("events");
  json.begin_array(Layout::lines);
  for (const Event& event : run.log.events()) write_event(json, run.log, event);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string log_json(std::span<const LoggedConstruction> runs) {
  std::string out;
  JsonWriter json(out);
  json.begin_object(JsonWriter::Layout::lines);
  json.field("schema", "braid.log");
  json.field("version", log_schema_version);
  json.key("functions");
  json.begin_array(JsonWriter::Layout::lines);
  for (const LoggedConstruction& run : runs) write_run(json, run);
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace braid::driver
