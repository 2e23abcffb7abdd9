// A multimap of bounded size: what was not used for longest gives way to what is new.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <unordered_map>
#include <utility>

namespace nvfuser {

template <typename Value>
class LruMultimap {
 public:
  explicit LruMultimap(size_t capacity) : capacity_(capacity) {}

  // The first value with this hash that fulfils a condition, null where there is none. Does not
  // count as a use.
  template <typename Condition>
  const Value* peek(size_t hash, const Condition& condition) const {
    const auto place = locate(hash, condition);
    return place == places_.end() ? nullptr : &place->second->value;
  }

  // The same, and a use of what is found. The pointer holds until the next add or clear.
  template <typename Condition>
  Value* use(size_t hash, const Condition& condition) {
    const auto place = locate(hash, condition);
    if (place == places_.end()) {
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, place->second);
    return &place->second->value;
  }

  // The first value, in the order of their last uses, that fulfils a condition. Looks at all.
  template <typename Condition>
  const Value* search(const Condition& condition) const {
    for (const Entry& entry : entries_) {
      if (condition(entry.value)) {
        return &entry.value;
      }
    }
    return nullptr;
  }

  // Adds a value, which is the one used last, and drops the one not used for longest where there
  // are more than `capacity`.
  Value& add(size_t hash, Value value) {
    entries_.push_front({hash, std::move(value)});
    places_.emplace(hash, entries_.begin());
    if (entries_.size() > capacity_) {
      dropOldest();
    }
    return entries_.front().value;
  }

  void clear() {
    places_.clear();
    entries_.clear();
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    size_t hash;
    Value value;
  };
  // The one used last comes first.
  using Entries = std::list<Entry>;
  using Places = std::unordered_multimap<size_t, typename Entries::iterator>;

  template <typename Condition>
  typename Places::const_iterator locate(size_t hash, const Condition& condition) const {
    const auto [begin, end] = places_.equal_range(hash);
    for (auto place = begin; place != end; ++place) {
      if (condition(std::as_const(place->second->value))) {
        return place;
      }
    }
    return places_.end();
  }

  void dropOldest() {
    const auto oldest = std::prev(entries_.end());
    auto place = places_.find(oldest->hash);
    while (place->second != oldest) {
      ++place;
    }
    places_.erase(place);
    entries_.erase(oldest);
  }

  size_t capacity_;
  Entries entries_;
  Places places_;
};

}  // namespace nvfuser
