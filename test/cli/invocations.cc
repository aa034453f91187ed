// Runs many commands as `leeway` would, each in a forked child, without starting a program for each.
//
// usage: invocations FOLDER <LINES     a line: NAME<TAB>WORD<TAB>WORD...
//
// What the command NAME writes to standard output and error is in FOLDER/NAME.out and FOLDER/NAME.err; prints
// "NAME CODE" as each ends, two at a time.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"

namespace {

using Running = std::map<pid_t, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; std::getline(stream, word, '\t');) words.push_back(word);
  return words;
}

void redirect(int descriptor, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  ::dup2(file, descriptor);
  ::close(file);
}

[[noreturn]] void invoke(const std::string& folder, const std::vector<std::string>& words) {
  ::close(STDIN_FILENO);
  (void)::open("/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, folder + "/" + words[0] + ".out");
  redirect(STDERR_FILENO, folder + "/" + words[0] + ".err");
  if (::chdir(folder.c_str()) != 0) std::_Exit(99);
  std::vector<const char*> arguments;
  for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].c_str());
  const int code = leeway::cli::invoke(arguments);
  std::fflush(nullptr);
  std::exit(code);
}

void tell_one_end(Running& running) {
  int status = 0;
  const pid_t ended = ::waitpid(-1, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::printf("%s %d\n", running.at(ended).c_str(), code);
  running.erase(ended);
}

}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    std::fprintf(stderr, "usage: invocations FOLDER <LINES\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  constexpr std::size_t kAtOnce = 2;
  std::vector<std::vector<std::string>> commands;
  for (std::string line; std::getline(std::cin, line);) commands.push_back(split(line));
  Running running;
  for (const auto& words : commands) {
    if (running.size() == kAtOnce) tell_one_end(running);
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) invoke(values[1], words);
    running[child] = words[0];
  }
  while (!running.empty()) tell_one_end(running);
  return 0;
}
