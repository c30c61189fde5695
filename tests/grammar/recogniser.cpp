#include "recogniser.h"

#include <unordered_set>

namespace braid::grammar {
namespace {

constexpr uint32_t nothing = 0xffffffffu;

/// An alternative that begins at `origin` and has been read up to its symbol `dot`.
struct Item {
  uint32_t alternative, dot, origin;
  uint32_t before = nothing;  ///< the item one symbol earlier
  uint32_t symbol = nothing;  ///< what that symbol was: an item at its end, nothing for what stands in the text or is empty
};

class Chart {
 public:
  Chart(const Grammar& grammar, const Input& input) : g_(grammar), input_(input), ends_(input.size() + 1) {}

  Recognition run(uint32_t start) {
    Recognition result;
    for (uint32_t a : g_.of(start)) add(0, {a, 0, 0});
    uint32_t accepted = nothing;
    for (uint32_t at = 0; at <= input_.size(); ++at) {
      if (!ends_[at].items.empty()) result.furthest = at;
      predicted_.assign(g_.production_count(), false);
      for (size_t k = 0; k < ends_[at].items.size(); ++k) {
        const uint32_t id = ends_[at].items[k];
        step(at, id);
        const Item& item = items_[id];
        if (at == input_.size() && item.origin == 0 && is_complete(item) && production(item) == start) accepted = id;
      }
    }
    result.accepted = accepted != nothing;
    if (result.accepted) result.used = used_by(accepted);
    return result;
  }

 private:
  struct End {
    std::vector<uint32_t> items;
    std::unordered_set<uint64_t> known;
  };

  const Alternative& alternative(const Item& item) const { return g_.alternatives()[item.alternative]; }
  uint32_t production(const Item& item) const { return alternative(item).production; }
  bool is_complete(const Item& item) const { return item.dot == alternative(item).symbols.size(); }

  void add(uint32_t at, Item item) {
    const uint64_t key = (uint64_t{item.alternative} << 40) | (uint64_t{item.dot} << 32) | item.origin;
    if (!ends_[at].known.insert(key).second) return;
    ends_[at].items.push_back(static_cast<uint32_t>(items_.size()));
    items_.push_back(item);
  }
  void advance(uint32_t at, uint32_t id, uint32_t symbol) {
    const Item& item = items_[id];
    add(at, {item.alternative, item.dot + 1, item.origin, id, symbol});
  }

  void step(uint32_t at, uint32_t id) {
    const Item item = items_[id];
    if (is_complete(item)) return complete(at, id);
    const Symbol& symbol = alternative(item).symbols[item.dot];
    if (symbol.kind != Symbol::Kind::production || input_.reads(symbol.production)) {
      const uint32_t length = at < input_.size() ? input_.match(alternative(item), item.dot, at) : 0;
      if (length > 0) advance(at + length, id, nothing);
      return;
    }
    if (g_.is_nullable(symbol.production)) advance(at, id, nothing);
    if (predicted_[symbol.production]) return;
    predicted_[symbol.production] = true;
    for (uint32_t a : g_.of(symbol.production)) add(at, {a, 0, at});
  }

  void complete(uint32_t at, uint32_t id) {
    const Item done = items_[id];
    const uint32_t made = production(done);
    // What is empty has been stepped over when it was asked for.
    if (done.origin == at) return;
    for (size_t k = 0; k < ends_[done.origin].items.size(); ++k) {
      const uint32_t waiting = ends_[done.origin].items[k];
      const Item& item = items_[waiting];
      if (is_complete(item)) continue;
      const Symbol& symbol = alternative(item).symbols[item.dot];
      if (symbol.kind == Symbol::Kind::production && symbol.production == made) advance(at, waiting, id);
    }
  }

  std::vector<bool> used_by(uint32_t whole) const {
    std::vector<bool> used(g_.alternatives().size());
    std::vector<uint32_t> stack{whole};
    while (!stack.empty()) {
      const Item& item = items_[stack.back()];
      stack.pop_back();
      used[item.alternative] = true;
      if (item.before != nothing) stack.push_back(item.before);
      if (item.symbol != nothing) stack.push_back(item.symbol);
    }
    return used;
  }

  const Grammar& g_;
  const Input& input_;
  std::vector<Item> items_;
  std::vector<End> ends_;
  std::vector<bool> predicted_;
};

class Characters : public Input {
 public:
  Characters(std::string_view text, bool (*words)(std::string_view, unsigned char)) : text_(text), words_(words) {}
  uint32_t size() const override { return static_cast<uint32_t>(text_.size()); }
  uint32_t match(const Alternative& alternative, uint32_t symbol, uint32_t at) const override {
    const Symbol& s = alternative.symbols[symbol];
    if (s.kind == Symbol::Kind::words) return words_(s.text, static_cast<unsigned char>(text_[at]));
    return text_.substr(at).starts_with(s.text) ? static_cast<uint32_t>(s.text.size()) : 0;
  }

 private:
  std::string_view text_;
  bool (*words_)(std::string_view, unsigned char);
};

}  // namespace

Recognition recognise(const Grammar& grammar, uint32_t production, const Input& input) {
  return Chart(grammar, input).run(production);
}

bool spells(const Grammar& grammar, uint32_t production, std::string_view text,
            bool (*words)(std::string_view words, unsigned char c)) {
  return recognise(grammar, production, Characters(text, words)).accepted;
}

}  // namespace braid::grammar
