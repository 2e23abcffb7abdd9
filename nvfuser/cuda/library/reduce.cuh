// Reductions over the threads of a block.

// The threads of a block along x, y and z; 0 where that is only known at launch.
template <int X, int Y, int Z>
struct Threads {
  static constexpr int constant_x = X;
  static constexpr int constant_y = Y;
  static constexpr int constant_z = Z;
  __device__ static int x() { return X > 0 ? X : (int)blockDim.x; }
  __device__ static int y() { return Y > 0 ? Y : (int)blockDim.y; }
  __device__ static int z() { return Z > 0 ? Z : (int)blockDim.z; }
  __device__ static int count() { return x() * y() * z(); }
  // An extent of 1 needs no index.
  __device__ static int at_x() { return X == 1 ? 0 : (int)threadIdx.x; }
  __device__ static int at_y() { return Y == 1 ? 0 : (int)threadIdx.y; }
  __device__ static int at_z() { return Z == 1 ? 0 : (int)threadIdx.z; }
  __device__ static int rank() { return at_x() + x() * (at_y() + y() * at_z()); }
};

// A value from another lane of the warp, word by word.
template <typename T, typename Shuffle>
__device__ inline T shuffle(T value, Shuffle shuffle_word) {
  union Words {
    T value;
    unsigned words[(sizeof(T) + 3) / 4];
    __device__ Words() : words{} {}
  };
  Words in;
  Words out;
  in.value = value;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) + 3) / 4; ++i) {
    out.words[i] = shuffle_word(in.words[i]);
  }
  return out.value;
}

// All lanes of a warp take part where threads of the whole block do. Of a last warp that is not whole
// the lanes that do not exist count as those that have ended, which masks may name: and only a mask
// that is a constant spares the check that the lanes are those of the mask.
__device__ constexpr unsigned all_lanes() { return 0xffffffffu; }

// Whether a type says how its parts are combined one after the other.
template <typename T, bool result = T::is_combined_by_parts>
__device__ constexpr bool combines_parts(int) {
  return result;
}
template <typename T>
__device__ constexpr bool combines_parts(long) {
  return false;
}

// Combines lanes whose numbers differ by multiples of `first` below `last`, powers of two: each
// lane gets the result.
template <typename T, typename Operation>
__device__ inline T combine_lanes(T value, int first, int last, Operation operation) {
  if constexpr (combines_parts<T>(0)) {
    return value.combined([&](float part, auto combine) {
      return combine_lanes(part, first, last, combine);
    });
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    if (distance >= first && distance < last) {
      value = operation(value, shuffle(value, [&](unsigned word) {
                          return __shfl_xor_sync(all_lanes(), word, distance);
                        }));
    }
  }
  return value;
}

// Combines Count values in shared memory that are Step apart, in a tree. With IsAligned a row of them
// is aligned as a vector.
template <int Count, int Step, bool IsAligned, typename T, typename Operation>
__device__ inline T combine_values(const T* values, Operation operation) {
  alignas(16) T results[Count];
  constexpr int bytes = Count * sizeof(T);
  if constexpr (IsAligned && (bytes % 16 == 0 || bytes == 8 || bytes == 4)) {
    copy<Count>(results, values);
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      results[i] = values[i * Step];
    }
  }
#pragma unroll
  for (int width = 1; width < Count; width *= 2) {
#pragma unroll
    for (int i = 0; i + width < Count; i += 2 * width) {
      results[i] = operation(results[i], results[i + width]);
    }
  }
  return results[0];
}

// Combines values one after the other.
template <typename T, typename Operation>
__device__ inline T combine_sequence(const T* values, int count, int step, Operation operation) {
  T result = values[0];
  for (int i = 1; i < count; ++i) {
    result = operation(result, values[i * step]);
  }
  return result;
}

// One value of each thread, and how two are combined.
template <typename T, typename Operation>
struct Reduction {
  T& value;
  Operation operation;
  static constexpr int bytes = sizeof(T);
  static constexpr bool by_parts = combines_parts<T>(0);
  __device__ T& slot(unsigned char* scratch, int i) { return ((T*)scratch)[i]; }
};

template <typename T, typename Operation>
__device__ inline Reduction<T, Operation> reduction(T& value, Operation operation) {
  return {value, operation};
}

// The threads that are combined are consecutive ones, beginning at any lane: the piece of each
// warp is combined, and then the pieces. Of `Size` threads, of `Count` in the block; 0 where that is
// only known at launch.
template <int Size, int Count>
struct Consecutive {
  static constexpr bool is_two_steps = false;
  static constexpr bool whole_warps = Size > 0 && Size % 32 == 0;
  static constexpr bool whole_block = Size > 0 && Size == Count;
  int rank;
  int size;
  __device__ int group() const { return whole_block ? 0 : rank / size; }
  __device__ int begin() const { return group() * size; }
  __device__ int end() const { return begin() + size; }
  // The pieces of a block in order: each is in the next warp or the next group, or both. With
  // groups of two threads or more they are fewer than threads.
  __device__ int piece(int thread) const { return (thread >> 5) + (whole_warps ? 0 : group()); }
  // The most pieces of a group: one that begins at the last lane that one can.
  static constexpr int most_pieces() {
    const int step = Size & -Size;
    const int last_begin = whole_block || step >= 32 ? 0 : 32 - step;
    return (last_begin + Size + 31) / 32;
  }
  template <typename Part>
  __device__ void run_before(Part part, unsigned char* scratch) const {
    if constexpr (whole_warps) {
      part.value = combine_lanes(part.value, 1, 32, part.operation);
    } else {
      const int stop = min(end(), (rank & ~31) + 32);
#pragma unroll
      for (int distance = 16; distance > 0; distance /= 2) {
        const auto other = shuffle(part.value, [&](unsigned word) {
          return __shfl_down_sync(all_lanes(), word, distance);
        });
        if (rank + distance < stop) {
          part.value = part.operation(part.value, other);
        }
      }
    }
    if (rank == max(begin(), rank & ~31)) {
      part.slot(scratch, piece(rank)) = part.value;
    }
  }
  template <typename Part>
  __device__ void run_after(Part part, unsigned char* scratch) const {
    const int first = piece(begin());
    constexpr int pieces = most_pieces();
    constexpr bool by_lanes = Size == 1024 || (Part::by_parts && whole_warps && pieces > 2 &&
                                               (pieces & (pieces - 1)) == 0);
    if constexpr (by_lanes) {
      // More than are worth combining by each thread.
      const auto value = part.slot(scratch, first + (rank & (pieces - 1)));
      part.value = combine_lanes(value, 1, pieces, part.operation);
    } else if constexpr (whole_warps || whole_block) {
      part.value =
          combine_values<pieces, 1, whole_warps>(&part.slot(scratch, first), part.operation);
    } else if constexpr (Size > 0) {
      const int last = piece(end() - 1);
      part.value = part.slot(scratch, first);
#pragma unroll
      for (int i = 1; i < pieces; ++i) {
        if (first + i <= last) {
          part.value = part.operation(part.value, part.slot(scratch, first + i));
        }
      }
    } else {
      part.value = combine_sequence(&part.slot(scratch, first), piece(end() - 1) - first + 1, 1,
                                    part.operation);
    }
  }
};

// The threads that are combined are `Stride` apart, a power of two below 32; all warps are whole.
// Few warps: each thread combines what they leave. Many: a warp does so for each part.
template <int Stride, int Warps>
struct Strided {
  static constexpr bool is_two_steps = Warps > 4;
  int rank;
  template <typename Part>
  __device__ void run_before(Part part, unsigned char* scratch) const {
    part.value = combine_lanes(part.value, Stride, 32, part.operation);
    if ((rank & 31) < Stride) {
      part.slot(scratch, (rank >> 5) * Stride + (rank & 31)) = part.value;
    }
  }
  // Part number `number`, between two barriers.
  template <typename Part>
  __device__ void run_between(Part part, unsigned char* scratch, int number) const {
    if (rank >> 5 != number % Warps) {
      return;
    }
    constexpr int lanes = Warps * Stride < 32 ? Warps * Stride : 32;
    const int lane = rank & 31;
    auto value = part.value;
    if (lane < lanes) {
      value = combine_values<Warps * Stride / lanes, 32, false>(&part.slot(scratch, lane),
                                                                part.operation);
    }
    value = combine_lanes(value, Stride, lanes, part.operation);
    __syncwarp();
    if (lane < Stride) {
      part.slot(scratch, lane) = value;
    }
  }
  template <typename Part>
  __device__ void run_after(Part part, unsigned char* scratch) const {
    if constexpr (is_two_steps) {
      part.value = part.slot(scratch, rank & (Stride - 1));
    } else {
      const auto* values = &part.slot(scratch, rank & (Stride - 1));
      part.value = combine_values<Warps, Stride, false>(values, part.operation);
    }
  }
};

// The threads that are combined are `Stride` apart: each reads the values of all of them.
template <int Stride, int Size>
struct Spaced {
  static constexpr bool is_two_steps = false;
  int rank;
  template <typename Part>
  __device__ void run_before(Part part, unsigned char* scratch) const {
    part.slot(scratch, rank) = part.value;
  }
  template <typename Part>
  __device__ void run_after(Part part, unsigned char* scratch) const {
    const int first = rank / (Stride * Size) * (Stride * Size) + rank % Stride;
    const auto* values = &part.slot(scratch, first);
    if constexpr (Size <= 32) {
      part.value = combine_values<Size, Stride, false>(values, part.operation);
    } else {
      part.value = combine_sequence(values, Size, Stride, part.operation);
    }
  }
};

// Threads anywhere: each reads the values of all that it is combined with.
template <typename Threads, bool X, bool Y, bool Z>
struct Scattered {
  static constexpr bool is_two_steps = false;
  template <typename Part>
  __device__ void run_before(Part part, unsigned char* scratch) const {
    part.slot(scratch, Threads::rank()) = part.value;
  }
  template <typename Part>
  __device__ void run_after(Part part, unsigned char* scratch) const {
    const int first_x = X ? 0 : Threads::at_x();
    const int first_y = Y ? 0 : Threads::at_y();
    const int first_z = Z ? 0 : Threads::at_z();
    const int last_x = X ? Threads::x() : first_x + 1;
    const int last_y = Y ? Threads::y() : first_y + 1;
    const int last_z = Z ? Threads::z() : first_z + 1;
    bool is_first = true;
    for (int z = first_z; z < last_z; ++z) {
      for (int y = first_y; y < last_y; ++y) {
        for (int x = first_x; x < last_x; ++x) {
          const auto other = part.slot(scratch, x + Threads::x() * (y + Threads::y() * z));
          part.value = is_first ? other : part.operation(part.value, other);
          is_first = false;
        }
      }
    }
  }
};

// One barrier for all parts, or two. With Repeated the scratch memory may still be read from last
// time.
template <typename Threads, bool Repeated, typename Combination, typename... Parts>
__device__ inline void through_memory(unsigned char* scratch, Combination combination,
                                      Parts... parts) {
  if (Repeated) {
    __syncthreads();
  }
  unsigned char* next = scratch;
  ((combination.run_before(parts, next), next += Parts::bytes * Threads::count()), ...);
  __syncthreads();
  if constexpr (Combination::is_two_steps) {
    next = scratch;
    int number = 0;
    ((combination.run_between(parts, next, number++), next += Parts::bytes * Threads::count()),
     ...);
    __syncthreads();
  }
  next = scratch;
  ((combination.run_after(parts, next), next += Parts::bytes * Threads::count()), ...);
}

// With extents that are only known at launch.
template <typename Threads, bool X, bool Y, bool Z, bool Repeated, typename... Parts>
__device__ inline void block_reduce_any(unsigned char* scratch, Parts... parts) {
  const bool parts_x = !X && Threads::x() > 1;
  const bool parts_y = !Y && Threads::y() > 1;
  const int size = (X ? Threads::x() : 1) * (Y ? Threads::y() : 1) * (Z ? Threads::z() : 1);
  if (size == 1) {
    return;
  }
  if (!(parts_x && (Y || Z)) && !(parts_y && Z)) {
    const int rank = Threads::rank();
    through_memory<Threads, Repeated>(scratch, Consecutive<0, 0>{rank, size}, parts...);
  } else {
    through_memory<Threads, Repeated>(scratch, Scattered<Threads, X, Y, Z>{}, parts...);
  }
}

// Combines the values of the threads that differ only along the chosen directions; each gets the
// result. All threads of the block take part.
template <typename Threads, bool X, bool Y, bool Z, bool Repeated, typename... Parts>
__device__ inline void block_reduce(unsigned char* scratch, Parts... parts) {
  constexpr int x = Threads::constant_x;
  constexpr int y = Threads::constant_y;
  constexpr int z = Threads::constant_z;
  constexpr int count = x * y * z;
  if constexpr (count == 0) {
    block_reduce_any<Threads, X, Y, Z, Repeated>(scratch, parts...);
  } else {
    // So many threads are combined, at such a distance in rank, unless y parts those along x and z.
    constexpr int size = (X ? x : 1) * (Y ? y : 1) * (Z ? z : 1);
    constexpr int stride = X && x > 1 ? 1 : Y && y > 1 ? x : x * y;
    constexpr bool is_parted = X && x > 1 && !Y && y > 1 && Z && z > 1;
    constexpr bool fits_lanes = (stride & (stride - 1)) == 0 && (size & (size - 1)) == 0;
    const int rank = Threads::rank();
    if constexpr (size == 1) {
      return;
    } else if constexpr (is_parted) {
      through_memory<Threads, Repeated>(scratch, Scattered<Threads, X, Y, Z>{}, parts...);
    } else if constexpr (fits_lanes && stride * size <= 32) {
      ((parts.value = combine_lanes(parts.value, stride, stride * size, parts.operation)),
       ...);
    } else if constexpr (stride == 1) {
      through_memory<Threads, Repeated>(scratch, Consecutive<size, count>{rank, size}, parts...);
    } else if constexpr (fits_lanes && stride < 32 && stride * size == count) {
      through_memory<Threads, Repeated>(scratch, Strided<stride, count / 32>{rank}, parts...);
    } else {
      through_memory<Threads, Repeated>(scratch, Spaced<stride, size>{rank}, parts...);
    }
  }
}
