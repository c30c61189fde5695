#include "ebnf.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace braid::grammar {

uint32_t Grammar::find(std::string_view name) const {
  for (uint32_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return i;
  return none;
}

uint32_t Grammar::add(std::string name, uint32_t owner) {
  names_.push_back(std::move(name));
  owner_.push_back(owner == none ? static_cast<uint32_t>(names_.size() - 1) : owner);
  of_.emplace_back();
  return static_cast<uint32_t>(names_.size() - 1);
}

void Grammar::find_nullable() {
  nullable_.assign(names_.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Alternative& a : alternatives_) {
      bool is_nothing = std::all_of(a.symbols.begin(), a.symbols.end(), [&](const Symbol& s) {
        return s.kind == Symbol::Kind::production && nullable_[s.production];
      });
      changed |= is_nothing && !nullable_[a.production];
      if (is_nothing) nullable_[a.production] = true;
    }
  }
}

/// Brackets may stand in brackets a few deep: pages are not made by an enemy.
class EbnfReader {
 public:
  EbnfReader(Grammar& grammar, std::string_view text) : g_(grammar), text_(text) { next(); }

  void read(std::string_view start) {
    while (kind_ != Kind::end) {
      if (kind_ != Kind::name || !at_production()) return fail("expected 'name ='");
      std::string name = word_;
      next();
      next();
      uint32_t number = lookup(name);
      if (!g_.of_[number].empty()) g_.mistakes.push_back("'" + name + "' is defined twice");
      if (!alternatives(number)) return;
      if (is_sign(";")) next();
    }
    for (uint32_t i = 0; i < g_.names_.size(); ++i) {
      if (g_.names_[i].empty()) continue;
      if (g_.of_[i].empty()) g_.mistakes.push_back("'" + g_.names_[i] + "' is used and not defined");
      else if (g_.names_[i] != start && !is_used(i)) g_.mistakes.push_back("'" + g_.names_[i] + "' is defined and not used");
    }
    g_.find_nullable();
  }

 private:
  enum class Kind : uint8_t { end, name, text, words, sign, bad };

  void fail(std::string_view what) {
    size_t line = 1 + static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<long>(begin_), '\n'));
    g_.mistakes.push_back("line " + std::to_string(line) + " of the grammar: " + std::string(what));
    kind_ = Kind::end;
  }

  bool is_used(uint32_t production) const {
    return std::any_of(g_.alternatives_.begin(), g_.alternatives_.end(), [&](const Alternative& a) {
      return std::any_of(a.symbols.begin(), a.symbols.end(), [&](const Symbol& s) {
        return s.kind == Symbol::Kind::production && s.production == production;
      });
    });
  }

  uint32_t lookup(const std::string& name) {
    uint32_t found = g_.find(name);
    return found != Grammar::none ? found : g_.add(name, Grammar::none);
  }

  /// Alternatives of `production` up to a closing sign or the next production.
  bool alternatives(uint32_t production) {
    do {
      if (is_sign("|")) next();
      Alternative made{production, {}, {}};
      size_t first = begin_, last = begin_;
      while (starts_symbol()) {
        if (!symbol(production, made.symbols)) return false;
        last = last_end_;
      }
      if (made.symbols.empty()) return fail("an alternative without anything"), false;
      made.source = std::string(text_.substr(first, last - first));
      put(std::move(made));
    } while (is_sign("|"));
    return true;
  }

  void put(Alternative made) {
    g_.of_[made.production].push_back(static_cast<uint32_t>(g_.alternatives_.size()));
    g_.alternatives_.push_back(std::move(made));
  }

  bool starts_symbol() const {
    if (kind_ == Kind::name) return !at_production();
    return kind_ == Kind::text || kind_ == Kind::words || is_sign("[") || is_sign("{") || is_sign("(");
  }

  bool symbol(uint32_t production, std::vector<Symbol>& into) {
    if (kind_ == Kind::name) into.push_back({Symbol::Kind::production, {}, lookup(word_)});
    if (kind_ == Kind::text) into.push_back({Symbol::Kind::text, word_});
    if (kind_ == Kind::words) into.push_back({Symbol::Kind::words, word_});
    if (kind_ != Kind::sign) return next(), true;
    const char open = word_[0];
    next();
    uint32_t inner = g_.add({}, g_.owner_[production]);
    into.push_back({Symbol::Kind::production, {}, inner});
    if (open != '(') put({inner, {}, {}});
    size_t first = g_.alternatives_.size();
    if (!alternatives(inner)) return false;
    // { x } is nothing, or what there was so far and an x.
    if (open == '{')
      for (uint32_t i : g_.of_[inner])
        if (i >= first) g_.alternatives_[i].symbols.insert(g_.alternatives_[i].symbols.begin(), {Symbol::Kind::production, {}, inner});
    if (!is_sign(open == '[' ? "]" : open == '{' ? "}" : ")")) return fail("a bracket that is not closed"), false;
    next();
    return true;
  }

  bool is_sign(std::string_view sign) const { return kind_ == Kind::sign && word_ == sign; }
  bool at_production() const {
    size_t i = text_.find_first_not_of(" \n", at_);
    return i != text_.npos && text_[i] == '=';
  }

  void next() {
    last_end_ = at_;
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \n,", at_), text_.size());
      if (text_.substr(at_, 2) != "(*") break;
      size_t close = text_.find("*)", at_);
      at_ = close == text_.npos ? text_.size() : close + 2;
    }
    begin_ = at_;
    if (at_ == text_.size()) return set(Kind::end, at_);
    const char c = text_[at_];
    if (c == '"' || c == '\'' || c == '?') {
      size_t close = text_.find(c, at_ + 1);
      if (close == text_.npos) return set(Kind::bad, text_.size());
      set(c == '?' ? Kind::words : Kind::text, close + 1);
      word_ = word_.substr(1, word_.size() - 2);
      if (c == '?') {
        word_.erase(0, std::min(word_.find_first_not_of(' '), word_.size()));
        word_.erase(word_.find_last_not_of(' ') + 1);
      }
      return;
    }
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    if (end > at_) return set(Kind::name, end);
    set(std::string_view("=|[]{}();").find(c) != std::string_view::npos ? Kind::sign : Kind::bad, at_ + 1);
  }
  void set(Kind kind, size_t end) {
    kind_ = kind;
    word_ = std::string(text_.substr(at_, end - at_));
    at_ = end;
  }

  Grammar& g_;
  std::string_view text_;
  size_t at_ = 0, begin_ = 0, last_end_ = 0;
  Kind kind_ = Kind::end;
  std::string word_;
};

Grammar::Grammar(std::string_view ebnf, std::string_view start) { EbnfReader(*this, ebnf).read(start); }

std::string ebnf_of_page(const std::string& path, std::string_view heading) {
  std::ifstream in(path);
  std::string out, line;
  bool wanted = heading.empty(), inside = false, keeps = false;
  while (std::getline(in, line)) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      if (keeps) out += line + "\n";
    } else if (line.starts_with("```")) {
      inside = true;
      keeps = wanted && line.substr(0, 7) == "```ebnf";
    } else if (!heading.empty() && line.starts_with("## ")) {
      wanted = line.substr(3) == heading;
    }
  }
  return out;
}

}  // namespace braid::grammar
