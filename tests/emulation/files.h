// Files for a moment.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace emulation {

// The path of a new file with this content, to be removed by the caller; empty where there is no
// place for it.
inline std::string writeTemporaryFile(const std::string& content) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/cubin.XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) {
    return "";
  }
  size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = write(file, content.data() + written, content.size() - written);
    if (count <= 0) {
      close(file);
      unlink(path.c_str());
      return "";
    }
    written += static_cast<size_t>(count);
  }
  close(file);
  return path;
}

}  // namespace emulation
