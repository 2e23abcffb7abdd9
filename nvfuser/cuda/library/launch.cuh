// How kernels of a stream follow each other.

// Kernels of one run may be launched before the one in front of them has ended, so that their launch
// takes no time of its own. They touch no memory until it has ended; and since that one waited, too,
// so have all before it. Then the next kernel may be launched: it starts when no block of this one
// waits for a place any more. Only kernels of few blocks are launched like this, by the number that
// src/device/cuda/driver.h has, too: both instructions take time in each block, by which 10,000 short
// ones were 1.4 times as slow. Devices before sm_90 launch kernels one by one.
__device__ inline void follow_kernel() {
#if __CUDA_ARCH__ >= 900
  constexpr unsigned long long most_blocks = 1024;
  if ((unsigned long long)gridDim.x * (gridDim.y * gridDim.z) <= most_blocks) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  }
#endif
}
