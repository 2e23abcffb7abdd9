// Timeline: points of time in what a device does.
#pragma once

#include <cstddef>

namespace nvfuser {

class Timeline {
 public:
  virtual ~Timeline() = default;
  // Marks the present one.
  virtual void mark() = 0;
  // Waits for the device.
  virtual void finish() = 0;
  // Between two marks.
  virtual double milliseconds(size_t from, size_t to) const = 0;
};

}  // namespace nvfuser
