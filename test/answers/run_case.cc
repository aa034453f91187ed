#include "test/answers/run_case.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/command.h"

namespace leeway::answers {

namespace {

constexpr int kNoEnd = -1;  // instead of an exit code
constexpr int kGaveUp = 5;

std::string output_of(const std::string& folder) { return folder + "/output.txt"; }
std::string errors_of(const std::string& folder) { return folder + "/errors.txt"; }

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void redirect(int descriptor, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  ::dup2(file, descriptor);
  ::close(file);
}

/// The words before "run": the launcher's command line.
std::vector<std::string> launch_words(const Case& drawn, const std::string& command) {
  const std::string nodes = std::to_string(drawn.nodes);
  if (drawn.launcher == Launcher::Leeway) return {command, "launch", "-n", nodes, "--"};
  if (drawn.launcher == Launcher::Mpiexec) return {"mpiexec.mpich", "-n", nodes, command};
  return {command};
}

/// Runs the command in a separate process group, which is killed at the time limit. Returns the
/// exit code; 128 or more for a signal.
int run_job(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  bool ended = false;
  while (!ended && std::chrono::steady_clock::now() < end) {
    ended = ::waitpid(child, &status, WNOHANG) == child;
    if (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ::kill(-child, SIGKILL);  // kills the remaining processes of the job
  if (!ended) {
    ::waitpid(child, &status, 0);
    return kNoEnd;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_words(const Case& drawn, const Surroundings& around, std::vector<std::string> words) {
  if (drawn.launcher == Launcher::Inside) {
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    return cli::invoke(arguments);
  }
  std::vector<std::string> all = launch_words(drawn, around.command);
  all.insert(all.end(), words.begin(), words.end());
  return run_job(all, around.limit);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Observation observe_run(const Case& drawn, const Surroundings& around,
                        const std::vector<std::string>& words) {
  ::unlink(words.back().c_str());
  redirect(STDOUT_FILENO, output_of(around.folder));
  redirect(STDERR_FILENO, errors_of(around.folder));
  Observation seen;
  seen.code = run_words(drawn, around, words);
  std::fflush(stdout);
  std::fflush(stderr);
  seen.output = text_of(output_of(around.folder));
  seen.errors = text_of(errors_of(around.folder));
  seen.values = lines_of(text_of(words.back()));
  return seen;
}

Observation observe(const Case& drawn, const Surroundings& around) {
  const std::vector<std::string> words = write_case(drawn, around.folder);
  if (!drawn.runs_twice()) return observe_run(drawn, around, words);
  std::error_code ignored;
  std::filesystem::remove_all(around.folder + "/snapshots", ignored);
  Observation first = observe_run(drawn, around, words_of_first_run(drawn, words, around.folder));
  if (first.code != 0 && first.code != kGaveUp) return first;
  Observation second = observe_run(drawn, around, words);
  if (drawn.resumes) second.before = std::make_shared<const Observation>(std::move(first));
  return second;
}

}  // namespace

std::string errors_left(const std::string& folder) {
  return text_of(errors_of(folder)).substr(0, 1500);
}

Verdict run_case(const Case& drawn, const Surroundings& around) {
  Case shorter = drawn;
  std::string without;
  for (;;) {
    const Observation seen = observe(shorter, around);
    const auto loose = seen.code == 2 ? inapplicable_setting(shorter, seen.errors) : std::nullopt;
    if (loose && shorter.drop(*loose)) {  // terminates, because the case has one setting less
      without += " --" + *loose;
      continue;
    }
    Verdict verdict = seen.code == kNoEnd ? Verdict{Kind::Failed, "hang", "the job did not end"}
                                          : judge(shorter, seen);
    if (!without.empty() && verdict.kind == Kind::Failed)
      verdict.text += " (run without" + without + ", which does not apply to it)";
    return verdict;
  }
}

std::string shell_command(const Case& drawn, const std::string& folder,
                          const std::string& command) {
  const auto line_of = [&](const std::vector<std::string>& of_run) {
    std::string line;
    std::vector<std::string> words = launch_words(drawn, command);
    words.insert(words.end(), of_run.begin(), of_run.end());
    for (const std::string& word : words) {
      const bool plain = word.find_first_of(" '\"$`\\*?&;()<>|#~!") == std::string::npos;
      line += (line.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
    }
    return line;
  };
  const std::vector<std::string> words = write_case(drawn, folder);
  if (!drawn.runs_twice()) return line_of(words);
  return line_of(words_of_first_run(drawn, words, folder)) + " && " + line_of(words);
}

}  // namespace leeway::answers
