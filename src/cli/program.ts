/** The command line: commands, flags, help. What a command does is loaded when it runs. Contract: C1, C3, C6, C7. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { agentNames, anyAgent } from './acp/agent-choice.ts'
import { addDoctorCommand } from './acp/doctor-command.ts'
import { addAgentsCommand } from './agents/agents-command.ts'
import { addGraphCommand } from './graph-command.ts'
import { examples } from './help.ts'
import { addInspectCommand } from './inspect/inspect-command.ts'
import type { CliIo } from './io.ts'
import { nearest } from '../run/nearest.ts'
import { safeText } from './output/safe-text.ts'
import { addPathsCommand } from './paths/paths-command.ts'
import { addReplayCommand } from './replay/replay-command.ts'
import { defaultMaxDepth, readTaskOptions, type TaskFlags } from './task-options.ts'
import { UsageError } from './usage-error.ts'
import { providerNames } from './via.ts'
import { wrap } from './wrap.ts'

/** `report` gets the exit code of the command that ran. Parsing throws commander's own errors, and UsageError. */
export function createProgram(io: CliIo, report: (code: number) => void): Command {
  const paragraphs = (...texts: string[]) => texts.map((text) => `\n${wrap(text, widthOf(io.stdout.columns))}\n`).join('')
  const program = new Command('subagents')
    .description('Hands a task to an agent that delegates parts of it to children.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(safeText(text)),
      getOutHelpWidth: () => widthOf(io.stdout.columns),
      getErrHelpWidth: () => widthOf(io.stderr.columns),
      outputError: (text, write) => write(`${text.replace(/^error: /, '').trimEnd()}\n${hint(text)}\n`),
    })
    .addHelpText(
      'after',
      () =>
        examples([
          'subagents demo',
          'subagents run "Find every TODO and rank them" --model deepseek/deepseek-flash',
          'subagents doctor',
          'subagents demo --record runs.jsonl && subagents replay runs.jsonl',
          'subagents graph run',
          'subagents run --help',
        ]) +
        paragraphs(
          'Exit codes: 0 completed, 1 any other outcome, 2 bad usage, 130 interrupted. Ctrl-C stops all runs; a second one quits at once.',
        ),
    )

  taskCommand(program.command('demo'))
    .summary('try it without a key: a script plays the model and finds TODOs')
    .description(
      'Shows delegation without a key: a script plays the model. It lists a folder, delegates parts of it to children and joins the TODOs that they find.',
    )
    .argument('[task]', 'what to do; the script can only find TODOs')
    .option('--model <model>', 'VENDOR/ID, or scripted (default: scripted)')
    .addHelpText(
      'after',
      examples([
        'subagents demo',
        'subagents demo --cwd .',
        'subagents demo --json | tail -1',
        'subagents demo --via acp --command "node examples/acp-agent/main.js"',
        'subagents demo --record runs.jsonl',
        'subagents demo --inspect',
      ]),
    )
    .action(async (task: string | undefined, flags: TaskFlags) => {
      const { demoTask } = await import('./scripted/todo-task.ts')
      const sample = fileURLToPath(new URL('../../examples/sample-project', import.meta.url))
      const options = readTaskOptions(task ?? demoTask, flags, 'scripted', sample, io.cwd)
      const { runTask } = await import('./run-task.ts')
      report(await runTask(options, io))
    })

  taskCommand(program.command('run'))
    .summary('hand a task to a model')
    .description('Hands a task to an agent with read-only tools in a folder. It delegates parts of the task to children where that helps.')
    .argument('<task>', 'what to do, in quotes')
    .option('--model <model>', 'VENDOR/ID with VENDOR deepseek, openai or anthropic, or scripted')
    .addHelpText(
      'after',
      () =>
        examples([
          'subagents run "Which files have no test?" --model deepseek/deepseek-flash',
          'subagents run "Rank the TODOs" --model local/llama3.2 --base-url http://127.0.0.1:11434/v1',
          'subagents run "Find every TODO" --model scripted --cwd src',
          'subagents run "Review src" --model deepseek/deepseek-flash --agents .claude/agents',
          'subagents run "Review src" --via opencode',
          'subagents run "Review src" --via acp --command "my-agent --acp" --permission reject --env MY_AGENT_KEY',
          'subagents run "Find every TODO" --model scripted --hooks .claude/settings.json',
        ]) +
        paragraphs(
          "Keys: a vendor's model needs DEEPSEEK_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY. A server at --base-url gets the key in the variable " +
            'named after its vendor (LOCAL_API_KEY for local/ID), else OPENAI_API_KEY, else none. Without --model nothing runs: the command lists the keys, servers and agents that it finds.',
          'Agents: --agents takes Markdown files with name, description, tools and model, like those of Claude Code. Its tools Read, LS, Glob, Grep and Task are ' +
            'available under other names; other tools are left out with a warning. The models sonnet, opus and haiku are available where --model names one of anthropic; ' +
            'an agent whose model is not available has that of the run, with a warning. subagents agents FOLDER shows the result.',
          'Programs as agents: --via NAME, or --via acp with --command, hands the task to a program that speaks the Agent Client Protocol. It has its own model, tools ' +
            'and login and works in --cwd, where it can do whatever you can: --permission answers its questions, but many do not ask. It gets no keys from the environment except those that --env names. ' +
            'Paths in --command are relative to the current folder, not to --cwd. subagents doctor shows which agents are installed.',
          'Hooks: --hooks takes settings with hooks, like those of Claude Code. A hook only observes: it neither changes nor delays a run. It gets no keys from the environment. ' +
            'After the answer the command waits for hooks that are still running; Ctrl-C ends them.',
          'The answer goes to stdout, progress and messages to stderr. With --json, stdout has one object per line for every event; the last one is the result.',
        ),
    )
    .action(async (task: string, flags: TaskFlags) => {
      // Whatever else is wrong is told first: the commands that are proposed have to work.
      const options = readTaskOptions(task, flags, undefined, io.cwd, io.cwd)
      if (options.kind === 'model' && flags.model === undefined) {
        const { agents, via } = options
        if (options.hooks) (await import('./hooks/hooks-file.ts')).checkHooksFile(options.hooks)
        if (agents) await (await import('./agents/load-agents.ts')).loadAgents(agents, via)
        const { lookAround } = await import('./models/found/look-around.ts')
        const { explainNoModel } = await import('./models/no-model.ts')
        throw new UsageError(explainNoModel(task, flags, await lookAround(io)))
      }
      const { runTask } = await import('./run-task.ts')
      report(await runTask(options, io))
    })

  addAgentsCommand(program, io, report)
  addDoctorCommand(program, io, report)
  addGraphCommand(program, io)
  addPathsCommand(program, io)
  addReplayCommand(program, io)
  addInspectCommand(program, io)
  addHelpCommand(program)
  return program
}

/** In place of commander's own, which takes any word for a wish to see the help. */
function addHelpCommand(program: Command): void {
  program
    .command('help')
    .argument('[command]')
    .description('print the help of a command')
    .action((name: string | undefined) => {
      const command = name === undefined ? program : program.commands.find((each) => each.name() === name)
      if (command) command.help()
      const names = program.commands.map((each) => each.name())
      const near = nearest(name ?? '', names)
      throw new UsageError(
        `unknown command '${name}'\n${near === undefined ? `There are ${names.join(', ')}.` : `(Did you mean ${near}?)`}\nRun subagents --help for the commands.`,
      )
    })
}

function taskCommand(command: Command): Command {
  return command
    .option('--cwd <folder>', 'the folder that the agents may read')
    .option(
      '--via <name>',
      `who does the task: ${providerNames.join(' or ')}, agents in this process with --model; or an agent that is a program of its own: ${agentNames.join(', ')}, or ${anyAgent} for any other`,
    )
    .option(
      '--command <words>',
      `the program to start, with --via ${anyAgent}: one that speaks the Agent Client Protocol (ACP). With the name of an agent: instead of its usual program`,
    )
    .option(
      '--permission <choice>',
      'what to answer when such an agent wants permission: ask (you, at this terminal; the default), allow or reject',
    )
    .option(
      '--env <name>',
      'pass this environment variable on to such an agent; can be given more than once',
      (name: string, others?: string[]) => [...(others ?? []), name],
    )
    .option('--agents <folder>', 'delegate to the agents that the Markdown files of this folder define, such as .claude/agents')
    .option('--hooks <file>', 'run the SubagentStart and SubagentStop hooks in this file, such as .claude/settings.json')
    .option('--base-url <url>', "the address of a server that speaks OpenAI's chat completions")
    .option('--max-depth <n>', `how many levels of children there may be, 0 for none (default: ${defaultMaxDepth})`)
    .option('--timeout <duration>', 'stop after this time: 90s, 2m, 1h')
    .option('--json', 'print one JSON object per line')
    .option('--record <file>', 'record what happens in a file, for subagents replay and inspect; without prompts and answers')
    .option('--inspect [viewer]', 'show the runs in a browser while they work: =page (default) or =stately')
}

function hint(message: string): string {
  if (/unknown command/.test(message)) return 'Run subagents --help for the commands.'
  if (/too many arguments for 'run'/.test(message)) return 'Put the task in quotes: subagents run "Find every TODO".'
  return 'Add --help to see what can be given, with examples.'
}

function widthOf(columns: number | undefined): number {
  return Math.max(40, Math.min(columns ?? 80, 120))
}

let known: string | undefined

function version(): string {
  known ??= (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version
  return known
}
