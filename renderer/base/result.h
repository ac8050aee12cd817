#pragma once

#include <string>
#include <utility>
#include <variant>

namespace rayscope {

/// Why something that may fail did fail: one sentence for the user.
struct Failure {
    std::string reason;
};

/// A value, or the reason why there is none. For expected failures, such as a missing file or an
/// impossible combination of settings; failures of a device throw.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

    explicit operator bool() const { return content_.index() == 0; }
    T& operator*() & { return std::get<0>(content_); }
    const T& operator*() const& { return std::get<0>(content_); }
    T&& operator*() && { return std::get<0>(std::move(content_)); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }
    const std::string& reason() const { return std::get<1>(content_).reason; }
    /// To pass the failure on: `if (!r) return r.failure();`
    const Failure& failure() const { return std::get<1>(content_); }

private:
    std::variant<T, Failure> content_;
};

/// Success, or the reason of a failure.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Failure failure) : failed_(true), failure_(std::move(failure)) {}

    explicit operator bool() const { return !failed_; }
    /// Empty after success.
    const std::string& reason() const { return failure_.reason; }
    const Failure& failure() const { return failure_; }

private:
    bool failed_ = false;
    Failure failure_;
};

}  // namespace rayscope
