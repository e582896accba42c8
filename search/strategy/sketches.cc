#include "search/strategy/sketches.h"

#include <initializer_list>

namespace quern::search {

std::vector<Sketch> FirstSketches() {
  return {
      {},
      {.unroll = 4, .width = 32, .tile = 8, .lanes = 64},
      {.rows = 4, .columns = 24, .width = 64, .tile = 8, .along_load = true, .lanes = 16},
      {.pack_rows = true, .width = 8, .tile = 32, .lanes = 8},
      {.rows = 3, .columns = 32, .unroll = 2, .width = 16, .tile = 16, .vector_tile = false},
      {.rows = 4,
       .columns = 16,
       .columns_outside = false,
       .unroll = 2,
       .block = 16,
       .tile = 16,
       .along_load = true,
       .vector_tile = false},
      {.columns_outside = false, .tile = 8, .vector_tile = false},
      {.pack_columns = false, .tile = 32, .vector_tile = false},
      {.fuse = false},
      {.rows = 8, .columns = 32, .unroll = 2, .tile = 64},
  };
}

Sketch RandomSketch(std::mt19937_64& random) {
  auto pick = [&](std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  };
  return {.fuse = pick({1, 1, 1, 1, 0}) != 0,
          .rows = pick({1, 2, 4, 5, 6, 8}),
          .columns = pick({8, 16, 24, 32}),
          .columns_outside = pick({0, 1}) != 0,
          .pack_columns = pick({1, 1, 1, 0}) != 0,
          .pack_rows = pick({1, 0}) != 0,
          .unroll = pick({1, 2, 4, 8}),
          .block = pick({0, 0, 4, 8, 16, 32}),
          .width = pick({8, 16, 32, 64}),
          .tile = pick({4, 8, 16, 32, 64}),
          .along_load = pick({0, 1}) != 0,
          .vector_tile = pick({0, 1}) != 0,
          .lanes = pick({8, 16, 32, 64})};
}

}  // namespace quern::search
