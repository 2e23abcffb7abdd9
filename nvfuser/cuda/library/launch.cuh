// How kernels of a stream follow each other.

// Kernels of one run may be launched before the one in front of them has ended, so that their launch
// takes no time of its own. They touch no memory until it has ended; and since that one waited, too,
// so have all before it. Then the next kernel may be launched: it starts when no block of this one
// waits for a place any more. Only kernels of at most MostBlocks blocks are launched like this, since
// both instructions take time in each block. Devices before sm_90 launch kernels one by one.
template <unsigned long long MostBlocks>
__device__ inline void follow_kernel() {
#if __CUDA_ARCH__ >= 900
  if ((unsigned long long)gridDim.x * (gridDim.y * gridDim.z) <= MostBlocks) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  }
#endif
}
