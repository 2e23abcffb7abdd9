// How kernels of a stream follow each other.

// Makes a pointer one of which compilers know nothing but that it is one to global memory.
template <typename Pointer>
__device__ inline void forget(Pointer& pointer) {
  size_t address = __cvta_generic_to_global(pointer);
  asm volatile("" : "+l"(address) : : "memory");
  pointer = (Pointer)__cvta_global_to_generic(address);
}

// Kernels of one run may be launched before the one in front of them has ended, so that their launch
// takes no time of its own. They touch nothing that the run writes until it has ended; and since that
// one waited, too, so have all before it. Then the next kernel may be launched: it starts when no
// block of this one waits for a place any more. Only kernels of at most MostBlocks blocks are launched
// like this, since both instructions take time in each block. Devices before sm_90 launch kernels one
// by one.
//
// `only_read` are the pointers through which this kernel writes nothing, but others of the run may.
// Compilers take the memory of a restricted pointer to const for constant as long as the kernel lasts,
// and load it before they wait: so these pointers are forgotten.
template <unsigned long long MostBlocks, typename... Pointers>
__device__ inline void follow_kernel(Pointers&... only_read) {
#if __CUDA_ARCH__ >= 900
  if ((unsigned long long)gridDim.x * (gridDim.y * gridDim.z) <= MostBlocks) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  }
  (..., forget(only_read));
#endif
}

// The one of Count kernels of a launch that a block is of: `first_blocks` are the numbers of their
// first blocks, in order.
template <int Count>
__device__ inline int part_of(const long long* first_blocks, int block) {
  int part = 0;
#pragma unroll
  for (int step = 1 << 30; step > 0; step >>= 1) {
    if (step < Count && part + step < Count && block >= first_blocks[part + step]) {
      part += step;
    }
  }
  return part;
}

// Where a block of a kernel without a grid of its own is in that: of `width` blocks along x, and
// `height` along y.
__device__ inline uint3 block_in_plane(int number, int width, unsigned long long width_divisor) {
  const int y = quotient_by(number, width, width_divisor);
  return uint3{(unsigned)(number - y * width), (unsigned)y, 0u};
}

__device__ inline uint3 block_in_space(int number, int width, unsigned long long width_divisor,
                                       int height, unsigned long long height_divisor) {
  const int row = quotient_by(number, width, width_divisor);
  const int z = quotient_by(row, height, height_divisor);
  return uint3{(unsigned)(number - row * width), (unsigned)(row - z * height), (unsigned)z};
}
