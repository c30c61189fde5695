// Graphs that nobody needs any more, whose memory serves the next ones: for those who build very many small graphs.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sea/graph.h"

namespace braid::sea {

class GraphPool {
 public:
  std::unique_ptr<Graph> take(ir::Module& module) {
    if (graphs_.empty()) return std::make_unique<Graph>(module);
    std::unique_ptr<Graph> graph = std::move(graphs_.back());
    graphs_.pop_back();
    graph->reset(module);
    return graph;
  }
  void give(std::unique_ptr<Graph> graph) {
    if (graph != nullptr) graphs_.push_back(std::move(graph));
  }

 private:
  std::vector<std::unique_ptr<Graph>> graphs_;
};

/// From the pool, if there is one.
inline std::unique_ptr<Graph> new_graph(GraphPool* pool, ir::Module& module) {
  return pool == nullptr ? std::make_unique<Graph>(module) : pool->take(module);
}

}  // namespace braid::sea
