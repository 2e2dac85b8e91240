/** Items 16 to 23: children. */

export const CHILD_CLAUSES = `
16 events split at every byte
  children/fold-events: events of 30 MB are folded, and the stream gives the same result split at every byte
  children/line-reader: any cutting into chunks gives the same lines
  faults/child-output: %s is heard as it spoke > come byte by byte
16 CRLF
  faults/child-output: %s is heard as it spoke > end in CR LF
16 U+2028 inside JSON
  children/line-reader: %s, split at every byte > no other separator ends a line
  faults/child-output: %s is heard as it spoke > naïve \\u2028
16 BOM
  faults/child-output: %s is heard as it spoke > begin with a byte order mark
16 no final newline
  faults/child-output: %s is heard as it spoke > have no newline at their end
  faults/child-output: have no newline at their end are heard whichever of exit and end of the pipe is first, fifty times over
16 half a last line
  faults/child-output: stop in the middle of the last one was cut off, and keeps what it said
  children/fold-events: half of a last line is counted and the stream counts as cut off
16 noise lines, null, {}, unknown types, usage: null
  faults/child-output: stand among noise, null, {}, unknown types and usage that is none is heard, and each kind is counted
  children/fold-events: what cannot be read is counted, once a kind, and costs nothing else
  children/fold-events: no line makes it throw
16 30 MB events
  faults/child-output: are of 30 MB is heard, and what it streamed in pieces costs nothing
16 500 MB without a newline
  children/line-reader: 500 MiB without a newline take no more than 96 MiB and cost only that line
  faults/child-output: come after 200 MB without a newline is heard, and memory stays where it was
16 endless stderr
  faults/child-output: on %s is stopped at its deadline, and little of it is kept > standard error
  children/tail-buffer: an endless stream takes no more memory than the bound and one chunk
17 exit 0 with a model error
  faults/child-endings: after %s is rejected, with the reason and what it said > a model error
  pi/child-endings: its model fails although pi exits with 0, after the retries of pi's settings
17 error after partial text
  faults/child-endings: after %s is rejected, with the reason and what it said > a model error after an answer
  children/judge-child: an error of the model after partial text is rejected with the provider's message: %s
17 a retried and recovered error
  faults/child-endings: after an error that a retry mended is fulfilled
  pi/child-endings: %s > was told 429 and recovered
17 agent_end with willRetry
  faults/child-endings: after %s is rejected, with the reason and what it said > an end of a run that will be tried again
  faults/child-endings: goes on after one run had ended, and its last answer counts
17 length
  faults/child-endings: after %s is rejected, with the reason and what it said > an answer cut at the model's limit
  pi/child-endings: %s: the result names the cause and keeps its text > too long
17 no text
  faults/child-endings: after %s is rejected, with the reason and what it said > no text
  faults/child-output: by the tool without a text is enough
17 signal death
  pi/child-endings: a signal kills it, which the result names
  children/start-child: a child that dies of %s is rejected and the signal named
  faults/child-endings: a child that a signal kills after its answer is rejected, names the signal and keeps the answer
17 answer then hang
  children/start-child: a child that settled but does not exit is forced down and fulfilled with a note
  pi/child-endings: answered and settled but does not exit, with a note
17 grandchild holding the pipe
  children/start-child: a grandchild that holds the pipe does not hold the result
  pi/child-endings: %s > helper holds the pipe
17 a child that ignores SIGTERM
  children/start-child: a child that ignores SIGTERM is killed with its detached helpers
17 a tree of shells
  children/stop-tree: ends a tree of shells that ignore SIGTERM, each in a group of its own
  children/stop-tree: keeps up with a command that goes on starting others
  children/stop-tree: spares a process whose start is another than when it was found
  faults/child-endings: leaves none of them when it is told to stop and obeys
  faults/child-endings: leaves none of them when it dies by itself
  faults/child-endings: leaves none of them when pi kills it at its own exit
18 E2BIG
  faults/child-starts: a child that cannot be started once it was planned (%s) is refused in words > environment too long
18 EMFILE
  faults/child-starts: a host without descriptors refuses a child in words, and starts one when there are some again
18 EAGAIN
  faults/child-starts: a host that may have no more processes refuses a child in words, and starts one when it may again
18 EACCES
  faults/child-starts: a child that cannot be started once it was planned (%s) is refused in words > command locked
  faults/child-starts: a child that cannot be started once it was planned (%s) is refused in words > folder locked
18 or later
  faults/child-starts: a child that cannot be started once it was planned (%s) is refused in words > interpreter missing
  faults/child-starts: a command that is no program, which a shell then tries to run, is rejected with what that says
18 cwd missing
  children/check-input: %j is refused by its name
  faults/child-starts: a child that cannot be started once it was planned (%s) is refused in words > folder removed
18 cwd a file
  children/check-input: %j is refused by its name
  faults/child-starts: a child that cannot be started once it was planned (%s) is refused in words > folder replaced by a file
18 cwd deleted meanwhile
  faults/child-endings: the folder of a child may go while it runs
  children/check-input: that is gone, being the session's own, is refused too
18 slots and temp files are given back on every path
  faults/child-starts: slot, prompt file, pipes and processes are given back after every one
  children/plan-child: for %s says why, and gives back slot and prompt file
  children/plan-child: for a prompt that cannot be written gives the slot back
  extension/child-service: shares one counter with all others of its session, however they end
  faults/child-endings: stops and aborts that come again, or after the end, change nothing
19 tasks that begin with -, --help, @file, /cmd
  faults/child-pis: a task that pi would take for something else reaches a real child word for word, and so do 2 MB
  children/start-child: a task that %s goes over standard input word for word
19 hold NUL
  children/check-input: given as %j is refused > task holds a NUL character
19 are blank
  children/check-input: given as %j is refused > task is blank
19 are 2 MB
  faults/child-pis: a task that pi would take for something else reaches a real child word for word, and so do 2 MB
20 CRLF, BOM
  children/agent-file: may have CRLF line ends and a byte order mark
20 empty model:
  children/agent-file: with %j leaves the model to the session
20 block and quoted lists
  children/agent-file: with %j has the tools %j > tools:\\n  - read\\n  - 'bash'
20 tools: []
  children/agent-file: with %j has the tools %j > tools: []
  children/child-tools: that is empty gets no tool at all
  pi/child-reach: with an empty list can call nothing
20 colons in values
  children/agent-file: keeps colons in values, quoted or not
20 broken YAML
  children/agent-file: whose frontmatter holds %j is no agent, and says why > name: [
  children/agents: never hides good files behind a broken one
20 wrong name
  children/agent-file: whose frontmatter holds %j is no agent, and says why > name: default
20 ../x
  children/agent-file: %j cannot name an agent > ../x
  children/agents: by the path %j is refused as no name
20 symlinks
  children/agent-file: behind a link is read, and one behind a broken link is reported
20 300 KB body
  children/agent-file: of 300 KB hands its body over whole
  children/prompt-file: takes a body of 300 KB
21 pi started by a path with spaces and non-ASCII
  faults/child-pis: a pi started by a path with blanks and letters beyond ASCII starts its children by that path
  children/pi-command: and starts where the path has blanks and letters beyond ASCII
21 run from an SDK host whose entry script is not pi
  faults/child-pis: a host whose entry script is not pi runs its children on the installed pi
  children/pi-command: or is refused with what was tried and what to do
21 run on a pi that is too old: one clear sentence
  extension/activate: (%s) nothing is registered and one sentence is said
22 nesting without end
  pi/children: may write a program of its own, and nest three deep but no deeper
  children/dispatch-slots: number at most 64 when every child starts all it may
22 slots leaked
  pi/children: is refused over the limit of children at once, with a warning on the run, and no slot leaks
  children/dispatch-slots: leave a session at its end as they found it, thirty times over
22 a parent that waits for children while holding a slot
  faults/child-pis: with one slot a session, a chain of children down to the depth limit runs: a parent that waits holds nothing they need
23 fence glued to the text
  children/report: a report is found in the text: %s > a fence right under the text
  children/report: there is no report in the text: %s > a fence on the line of the text
23 unclosed
  children/report: a report is found in the text: %s > a fence that is never closed
23 tildes
  children/report: a report is found in the text: %s > tildes
23 longer fences
  children/report: a report is found in the text: %s > a longer fence
23 several
  children/report: a report is found in the text: %s > another report before it
23 a shell block after it
  children/report: a report is found in the text: %s > a shell block after it
23 JSON with backticks
  children/report: backticks inside the JSON are no fence
23 arrays
  faults/child-output: is none where %s, and the answer is fulfilled all the same > it is an array
23 extra fields
  children/report: a payload is read and everything that is no part of a report dropped, usage too
  faults/child-output: by the tool goes before one in the text, and the prose stays
23 missing fields
  faults/child-output: is none where %s, and the answer is fulfilled all the same > fields are missing
23 10 MB
  faults/child-output: of 10 MB is kept in part, and the child is fulfilled
  children/report: 10 MB of hostile text are looked through in time: %s
23 closing tags and fake host messages inside
  children/render-dispatch: a child can open or close no tag of ours or the host's: %j
  children/render-dispatch: nothing a child wrote begins a line before the blank line, and nothing of ours stands behind it
`;
