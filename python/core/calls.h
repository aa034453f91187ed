// Runs that Python starts: how they heed Ctrl-C, and how what is called back from their nodes may fail.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>

#include "leeway/base/result.h"
#include "leeway/python/core/bindings.h"
#include "leeway/transport/job.h"

namespace leeway::python {

/// Runs `work` while other Python threads run. Without a job this thread looks after signals: what one raises sets
/// `stop`, and is raised once `work` has ended. In a job of processes the launcher hears of signals, and work stays on
/// the thread that joined. Requires the GIL.
template <class T>
Result<T> run_here(Job* job, const std::function<Result<T>()>& work, std::atomic<bool>& stop) {
  if (job != nullptr) {
    const py::gil_scoped_release released;
    return work();
  }
  std::future<Result<T>> done = std::async(std::launch::async, work);
  const auto ended = [&] {
    const py::gil_scoped_release released;
    return done.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  };
  std::optional<py::error_already_set> raised;
  while (!ended()) {
    if (raised || PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    stop = true;
  }
  if (raised) {
    raised->restore();
    throw py::error_already_set();
  }
  return done.get();
}

/// The functions of one Python program, called by the nodes of a run; its first exception stops the run, after which
/// nothing is called any more. The program outlives it. Any thread.
class Calls {
 public:
  Calls(py::object program, std::atomic<bool>& stop) : program_(std::move(program)), stop_(stop) {}

  /// `body(program)` with the GIL; false if it, or one before it, has failed.
  template <class Body>
  bool call(Body&& body) {
    const py::gil_scoped_acquire locked;
    if (thrown_) return false;
    try {
      body(program_);
      return true;
    } catch (py::error_already_set& error) {
      thrown_.emplace(error);
      stop_ = true;
      return false;
    }
  }

  /// After the run: all of a job's processes end as the first that failed; an exception is raised here.
  void finish(Job* job) {
    if (job != nullptr) {
      Status mine;
      if (thrown_)
        mine = leeway::fail(
            input_error("Python", "a node ended by an exception", "see its traceback"));
      const py::gil_scoped_release released;
      agreed_ = job->agree(std::move(mine));
    }
    if (thrown_) {
      thrown_->restore();
      throw py::error_already_set();
    }
    if (!agreed_) raise(agreed_.error());
  }

 private:
  py::object program_;
  std::atomic<bool>& stop_;
  std::optional<py::error_already_set> thrown_;  // guarded by the GIL
  Status agreed_;
};

/// A Python object that threads without the GIL may copy and drop.
[[nodiscard]] inline std::shared_ptr<py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire locked;
            delete held;
          }};
}

/// An array of doubles of that many; an Input error for anything else. Requires the GIL.
[[nodiscard]] py::array_t<double> numbers_of(const py::object& given, std::size_t count,
                                             const std::string& where, const char* remedy);

}  // namespace leeway::python
