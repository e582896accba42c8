// Derivations that jump to good regions: for each kind of kernel, the shape that is known to work.
#ifndef QUERN_SEARCH_STRATEGY_SKETCHES_H_
#define QUERN_SEARCH_STRATEGY_SKETCHES_H_

#include <cstdint>
#include <random>
#include <vector>

#include "search/trace.h"

namespace quern::search {

// Parameters of a sketch; each kind of kernel reads its own.
struct Sketch {
  bool fuse = true;
  // Contractions: a register block of rows x columns.
  int64_t rows = 6, columns = 16;
  bool columns_outside = true;  // the outermost loop is over blocks of columns
  bool pack_columns = true, pack_rows = false;
  int64_t unroll = 1;  // of the reduction
  int64_t block = 0;   // blocks of the inner loop that run together inside the outer one; 0: all
  // Element-wise kernels.
  int64_t width = 16;
  // Transpositions: tiles of tile x tile; the vector runs along the store, or along the load.
  int64_t tile = 16;
  bool along_load = false;
  bool vector_tile = true;
  // Reductions of consecutive elements.
  int64_t lanes = 32;
};

// Best first, for any program.
std::vector<Sketch> FirstSketches();
Sketch RandomSketch(std::mt19937_64& random);

// The actions that make `sketch` of the naive program; each of them applies.
Trace Expand(const frontend::Spec& spec, mlir::ModuleOp naive, const Sketch& sketch);

}  // namespace quern::search

#endif  // QUERN_SEARCH_STRATEGY_SKETCHES_H_
