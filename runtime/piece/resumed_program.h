// ResumedProgram: a piece program that starts from saved values, at a later tick than 0.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "leeway/piece.h"

namespace leeway::piece {

/// By piece.
using SavedPieces = std::vector<std::vector<std::byte>>;

/// The engine counts ticks from 0; the program sees those of the whole run.
class ResumedProgram final : public ErasedProgram {
 public:
  ResumedProgram(std::shared_ptr<const ErasedProgram> program, TickId first,
                 std::shared_ptr<const SavedPieces> values)
      : program_(std::move(program)), first_(first), values_(std::move(values)) {}

  /// False if the values are none of this program.
  [[nodiscard]] bool fits() const {
    if (values_->size() != layout().count()) return false;
    for (PieceId piece(0); piece.index() < values_->size(); piece = piece.next()) {
      if (load(piece) == nullptr) return false;
    }
    return true;
  }

  [[nodiscard]] const PieceLayout& layout() const override { return program_->layout(); }
  [[nodiscard]] std::unique_ptr<Task> load(PieceId piece) const override {
    return program_->restored(piece, first_, (*values_)[piece.index()]);
  }
  [[nodiscard]] std::unique_ptr<Task> task(PieceId piece, TickId tick) const override {
    return program_->task(piece, in_run(tick));
  }
  [[nodiscard]] bool may_terminate() const override { return program_->may_terminate(); }
  [[nodiscard]] bool accepts(PieceId from, bool whole,
                             std::span<const std::byte> bytes) const override {
    return program_->accepts(from, whole, bytes);
  }
  [[nodiscard]] bool measures(TickId tick) const override {
    return program_->measures(in_run(tick));
  }
  [[nodiscard]] bool termination(TickId tick, double change) const override {
    return program_->termination(in_run(tick), change);
  }

 private:
  [[nodiscard]] TickId in_run(TickId tick) const { return TickId(first_.value() + tick.value()); }

  std::shared_ptr<const ErasedProgram> program_;
  TickId first_;
  std::shared_ptr<const SavedPieces> values_;
};

}  // namespace leeway::piece
