#include "leeway/cli/command.h"

#include <algorithm>
#include <filesystem>

namespace leeway::cli {

namespace {

const Argument kGraph{
    "GRAPH", "a graph file, - for standard input, or a spec such as kron:14:16 or known:karate"};
const std::vector<Command> kCommands = {
    {"run",
     "a program on a graph, over one node or many",
     "Runs a vertex program until its values rest, over one node or a cluster: threads of this "
     "process, "
     "processes that a launcher started, or nodes simulated in virtual time. `leeway programs` "
     "lists the "
     "programs. Prints a summary; --out writes one line a vertex, its name and its value.",
     "leeway run pagerank known:karate --nodes 4 --fabric sim --consistency rcp",
     kCommon | kLoad | kJson | kPartition | kRun | kOutput,
     {{"PROGRAM", "which program; leeway run PROGRAM --help shows what applies to it"},
      {"GRAPH", "as --graph", true}},
     run_run},
    {"simulate",
     "fish, bodies or heat, tick by tick",
     "Runs a simulation: fish that swim together, bodies that attract each other (nbody), or heat "
     "that "
     "spreads over a plate (jacobi). The same as leeway run with that program.",
     "leeway simulate fish --nodes 4 --fabric sim --frames film.json",
     kCommon | kLoad | kJson | kPartition | kRun | kOutput,
     {{"PROGRAM",
       "fish, nbody or jacobi; leeway simulate PROGRAM --help shows what applies to it"}},
     run_simulate},
    {"info",
     "what a graph holds",
     "Reads a graph and prints its size, direction, weights, degrees and memory.",
     "leeway info known:karate",
     kCommon | kLoad | kJson,
     {kGraph},
     run_info},
    {"convert",
     "one format into another",
     "Reads a graph and writes it in the format the output's name asks for; .gz, .zst and .xz "
     "compress it.",
     "leeway convert web.txt.zst web.lwg",
     kCommon | kLoad | kWrite | kOutput,
     {kGraph, {"OUT", "the file to write; - for standard output"}},
     run_convert},
    {"generate",
     "a graph from a few words",
     "Writes a generated graph. The same spec and seed give the same graph on any number of "
     "threads.",
     "leeway generate kron:16:16 kron16.lwg --seed 7",
     kCommon | kLoad | kWrite | kOutput,
     {{"SPEC", "what to generate; see below"}, {"OUT", "the file to write; - for standard output"}},
     run_generate},
    {"partition",
     "divide a graph among nodes",
     "Divides a graph's vertices into N parts, reports the cut, the balance and each part's "
     "size, and "
     "writes one line a vertex, its name and its part. An output that ends in .lwg holds the "
     "whole graph, "
     "laid out part by part.",
     "leeway partition known:karate 4 owners.txt --partition metis",
     kCommon | kLoad | kJson | kPartition | kOutput,
     {kGraph,
      {"N", "how many parts"},
      {"OUT", "where the owners go; none are written without it", true}},
     run_partition},
    {"plan",
     "memory, before it is needed",
     "Predicts how many bytes each of N nodes will hold of a graph, and what loading and "
     "partitioning "
     "take at their peak.",
     "leeway plan kron:16:16 --nodes 8",
     kCommon | kLoad | kJson | kPartition | kPlan,
     {kGraph},
     run_plan},
    {"replay",
     "the papers' figures, regenerated and graded",
     "Measures a table or figure of a paper in a virtual cluster, in virtual seconds, and prints "
     "our numbers next to the paper's claims, each with a verdict by a stated rule. NAME is one "
     "figure, all figures of one paper, or all. aspire: table3, table4, table5, fig6 to fig16. "
     "tick: tick-fig1, tick-fig5 to tick-fig13. aap: aap-fig1, aap-exp1 to aap-exp3, aap-exp7, "
     "aap-fig6n, aap-fig6o, aap-fig11, aap-fig12, aap-tables3-6. asytick: asytick-fig4 to "
     "asytick-fig14, on 256 workers by default; as part of all on 16, unless --full-scale is "
     "given. loopback: tick-loopback and asytick-loopback, measured in real time on threads of "
     "this machine; not part of all. modes: the eight programs of ASPIRE's Table 1 under every "
     "mode, on one graph; optimizations: the same with each of ASPIRE's four left out. Started by "
     "mpiexec or leeway launch these two measure instead. cache: time over the size of bounded "
     "caches. All three are ours, and not part of all. --out also writes a page for "
     "a browser.",
     "leeway replay modes --programs pagerank,sssp --out modes",
     kCommon | kReplay | kOutput,
     {{"NAME", "a figure, a paper, or all"},
      {.name = "GRAPH", .help = "a graph file or spec to replay on", .optional = true}},
     run_replay},
    {"compare",
     "runs side by side",
     "Sets the reports of several runs beside each other: a table here and, with --page FILE, one "
     "page for "
     "a browser, which needs no network, with times, convergence, staleness, messages and what "
     "every node "
     "did when. The first is the baseline.",
     "leeway compare scp.json rcp.json --page comparison.html",
     kCommon | kCompare | kOutput,
     {{"REPORT", "what leeway run --report wrote; - for standard input", false, true}},
     run_compare},
    {"launch",
     "start a job of several processes",
     "Starts N processes of COMMAND, here or on the machines of --hosts, and lets them find each "
     "other over libfabric. COMMAND is one of leeway's own or any program that joins a job. Ends "
     "when "
     "the last process has, with the exit code of the first that failed.",
     "leeway launch -n 2 -- info known:karate",
     kCommon | kLaunch,
     {{.name = "COMMAND",
       .help = "what every process runs, with its arguments, after --",
       .many = true}},
     run_launch},
    {"snapshot",
     "what a run had reached",
     "Reads what leeway run --snapshot wrote, without a job: info shows what the newest snapshot "
     "of "
     "FOLDER is of and how far it is, verify reads every byte of each and says which are whole, "
     "and "
     "values prints one line a vertex, with the names of GRAPH if it is given. FOLDER may also be "
     "one snapshot.",
     "leeway snapshot verify snapshots",
     kCommon | kJson,
     {{"ACTION", "info, verify or values"},
      {"FOLDER", "a folder of snapshots, or one snapshot"},
      {"GRAPH", "values: whose names the vertices have; else they are numbered from 0", true}},
     run_snapshot},
    {"supervise",
     "start a job again when it dies",
     "Runs COMMAND, which takes snapshots with --snapshot FOLDER, and starts it again, with "
     "--resume "
     "FOLDER, when it dies of anything but its own mistake: at most --restarts times, after a "
     "pause "
     "that doubles. COMMAND is one of leeway's own, or mpiexec or another launcher with leeway run "
     "last. Ends with the job's exit code.",
     "leeway supervise -- run pagerank known:karate --snapshot snapshots",
     kCommon | kSupervise,
     {{.name = "COMMAND", .help = "what to run, with its arguments, after --", .many = true}},
     run_supervise},
    {"doctor",
     "what this machine offers",
     "Looks at cores, memory, huge pages, limits, MPI and its launcher, and libfabric's "
     "providers; says "
     "what is wrong and what to do about it. Exits with 3 if something must be mended first.",
     "leeway doctor",
     kCommon | kJson,
     {},
     run_doctor},
    {"programs",
     "the programs that come with it",
     "Lists the programs shipped with this build.",
     "leeway programs",
     kCommon | kJson,
     {},
     run_programs},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void name_own_program(std::vector<std::string>& words) {
  if (words.empty() || find_command(words.front()) == nullptr) return;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  words.insert(words.begin(), error ? "leeway" : self.string());
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return names;
}

}  // namespace leeway::cli
