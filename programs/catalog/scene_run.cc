#include "programs/catalog/scene_run.h"

namespace leeway {

Status check_count(const SceneParameters& scene, std::string_view flag, std::string_view things,
                   const std::optional<std::uint32_t>& given, std::uint64_t count) {
  if (!given || *given == count) return {};
  return fail(input_error(scene.file,
                          format("it has {} {}, and --{} asks for {}", count, things, flag, *given),
                          format("leave --{} out", flag)));
}

piece::PieceOptions pieces_in_span(const TickedSettings& settings, const TickInterval& span) {
  piece::PieceOptions options = settings.piece;
  options.ticks = span.ticks;
  return options;
}

void ignore_distance(const TickedSettings& settings, piece::PieceOptions& options) {
  if (settings.weighs) return;
  options.alpha = 0;
  options.beta = 1;
}

std::string tolerance_name(const std::optional<double>& tolerance) {
  return format("{}", tolerance.value_or(0));
}

}  // namespace leeway
