/** Items 30 to 34: rows, settings, handlers, loading and secrets. */

export const HOST_CLAUSES = `
30 old, partial or foreign details
  render/program-row: and details of an older version show what they have
  render/any-rows: of a program with details of any shape
  render/subagent-row: other details show the result's text
30 widths 1 to 400
  render/any-rows: of a program that returned any value
  render/any-rows: of widget and panel, in list and detail
30 tabs, ZWJ emoji, CJK, ANSI, OSC 8 links, newlines in keys
  render/any-rows: of a program that returned any value
  render/any-rows: of a call with any arguments, running or not
30 100 updates a second
  tools/progress: changes without end go out ten times a second
  render/pulse: many runs share one timer, which ends with the last watcher
30 a resize mid-run
  pi/rows-screen: eight children are live in the widget; one is stopped from the panel and the others go on
31 ptc.json missing
  base/settings: that is missing means the defaults, silently, and nothing is written
31 empty
  base/settings: holding %j is told and the defaults apply > the file is empty
31 broken
  base/settings: holding %j is told and the defaults apply > not valid JSON
31 an array
  base/settings: holding %j is told and the defaults apply > the file holds an empty array
31 wrong types, unknown keys
  base/settings: keeps its good keys when others are bad, each of which is named with value and accepted form
31 __proto__
  base/settings: never reaches a prototype through __proto__ or constructor
31 unreadable
  base/settings: that cannot be read is told with the system's reason
31 a directory
  base/settings: that is a directory is told
31 written by an editor while we read
  base/settings: holding %j is told and the defaults apply > {"limits": {"gra
31 told once, on screen or stderr
  pi/sessions: settings that are wrong are told by a warning, and a healthy session says nothing
32 a tool_call handler that blocks
  pi/programs: obeys a second extension that blocks bash
  pi/child-tool: is what gates allow and redactors leave, for the model, a program and a script of codemode alike
32 a tool_call handler that throws
  faults/pi-handlers: meets a gate that breaks (%s) does not get through
32 a tool_call handler that hangs
  faults/pi-handlers: meets a handler that hangs (%s) ends at its deadline, and pi goes on > gate_hangs
32 a tool_result handler that rewrites
  pi/programs: obeys a second extension that rewrites a result, structured content included
  pi/child-tool: is what gates allow and redactors leave, for the model, a program and a script of codemode alike
  faults/children: a redacted failure tells nothing of what was taken out
32 a tool that returns no content
  faults/pi-handlers: reaches a tool without content gets an empty list
33 the extension loaded twice
  faults/pi-exits: by two roads to one folder is one extension that works
  faults/pi-exits: from two folders is one extension that works, and the second copy says that it stands down
33 reloaded mid-run
  faults/pi-exits: a reload while a program runs is refused by pi, and the program goes on
33 pi exiting mid-run: no zombie thread, child, timer or file
  faults/pi-exits: by %s leaves neither a worker that %s nor what its program started
  faults/pi-exits: by %s ends at once and leaves nothing
  faults/children: a parent that dies of %s leaves no child running
  faults/parent-gone: a child ends with its commands and its own child when its pi was killed
  extension/child-service: stops every child and waits until it is gone
  children/live-children: a process that exits kills its children with all below them, and their slots and files are given back
34 text with secrets is never in ps
  faults/child-pis: neither task nor prompt nor key shows in the list of processes, and no file with them is open to others
  children/start-child: a task that %s goes over standard input word for word
34 never world-readable
  faults/child-pis: neither task nor prompt nor key shows in the list of processes, and no file with them is open to others
  children/prompt-file: is readable by its owner alone, in a fresh folder that is too
  base/output-folder: appears when first asked for, private at both levels, and stays the same
  base/output-folder: is refused under a symbolic link
  extension/child-service: keeps its end within pi's bounds less the head, and names a private file with all of it
34 gone after retention
  base/output-folder: removes what is older than the retention and keeps the rest
  children/sweep-prompts: the prompt of a process that was killed is removed, that of one that lives is not touched
  pi/settings: with engine quickjs programs run without Node, wrong settings are one line each on stderr, and old output is swept
`;
