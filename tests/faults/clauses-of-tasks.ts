/** Items 24 to 29: tasks. */

export const TASK_CLAUSES = `
24 task files: half-written
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > half-written
  tasks/task-store: (%s) is told of with its path, left in place, and in nobody's way > half-written
24 empty
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > empty
  tasks/task-store: (%s) is told of with its path, left in place, and in nobody's way > empty
24 a directory
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > a directory
  tasks/task-store: (%s) is told of with its path, left in place, and in nobody's way > a directory
24 a symlink
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > a symlink
  tasks/task-store: (%s) is told of with its path, left in place, and in nobody's way > a dangling link
  tasks/outbox: an outbox that is a link is neither read nor written
  tasks/output-window: a link, a pipe or a folder is not read, nor one behind a linked folder
  tasks/output-file: a link or a pipe in the file's place is not written to, and holds nothing up
24 another program's JSON
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > another program's JSON
24 an id with ../
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > an id with ../
  tasks/task-paths: no path is built from what is no id
24 a future schema version
  faults/tasks-disk: of every kind stop neither list, recovery, notices, pruning nor a new task, and stay where they are > a future schema version
25 pi killed with SIGKILL during every phase of a task
  faults/tasks-crash: a session whose pi is killed at any point of a task's life strands, loses and doubles nothing
  pi/task-lives: after pi was killed its tasks are lost, their children are gone, and the resumed session is told once
26 disk full or read-only at every write
  faults/tasks-disk: before the start starts no child and gives the place back
  faults/tasks-disk: from %s on holds neither end nor place up, and gets everything once it takes writes again > child-spawned
  faults/tasks-disk: from %s on holds neither end nor place up, and gets everything once it takes writes again > output-appended
  faults/tasks-disk: from %s on holds neither end nor place up, and gets everything once it takes writes again > outbox-written
  faults/tasks-disk: from %s on holds neither end nor place up, and gets everything once it takes writes again > record-temp-written
  faults/tasks-disk: while a notice is taken out leaves nothing to be told twice
  faults/tasks-disk: to the end of the session does not hold it up, and the next recovery finds the task lost
  faults/tasks-disk: that takes no record refuses the task, with its place given back
  faults/tasks-disk: that takes a part of an output keeps it, says what is missing, and ends the task as it ended
  faults/tasks-disk: that takes no end of a record keeps it in memory, tells of it, and writes it when there is room
  tasks/recovery: leaves the task to the next recovery, lost to this pi, and ends the child
26 two pis in one folder
  faults/tasks: see each other's tasks, end and tell only their own, and take over once when one is killed
  faults/tasks: a pi that is suspended keeps its tasks
  tasks/claim: of many pis that come at once one gets the task, and keeps it
  pi/task-lives: another pi on the same session neither reaps nor stops the tasks of a living one
26 /new, /resume, /fork, /reload while tasks run
  pi/task-lives: a new session ends the tasks of the old one as lost; others list them, and the old one tells of them with its next first prompt, by no run of its own
  pi/task-lives: a reload keeps the children running, with their slots, and the reloaded extension tells of their end
  pi/task-lives: a fork tells once of the tasks that were started on its branch
  extension/task-service: that ends by %s stops its tasks, which are lost, and frees their slots > resume
  extension/task-service: goes on with what runs, what ended, and the slots
26 clock stepping back
  faults/tasks: by an hour while tasks run changes neither order nor ownership, and no task ends before it began
  tasks/record: ends once whatever comes, with times in order, also when the clock steps back
  tasks/owner: a clock that steps back kills nobody
27 a stop that races with the exit
  faults/tasks: give each task one end, the one it earned, and free its place once
  tasks/supervisor: that comes after the exit changes nothing of a task that %s > succeeded
  tasks/supervisor: that comes after the exit changes nothing of a task that %s > failed
27 a stop of a finished task, of someone else's, of an unknown id
  tools/task-stop: what cannot be stopped is refused in a sentence without data
  tasks/session-tasks: of another living pi's task is refused in a sentence, and nothing is written
28 twenty tasks that end in the same second, mid-turn
  pi/task-notices: in the middle of a run, with the next request of the same run
28 idle
  pi/task-notices: when the session is idle, by one message that wakes it
  extension/task-notices: is woken by one message for all that ended together, and hears of it once
28 during compaction
  pi/task-notices: when they end during a compaction, after it and never by a run on the old context
28 each told exactly once
  pi/task-screen: twenty tasks end while a command runs and Escape is pressed: each is told once, with the next prompt
  pi/task-notices: when the run is aborted while they wait, with the next prompt
  pi/task-notices: a compaction repeats none that were told
29 a 1.2 GB output: only the asked window is read
  faults/tasks: is read for %s only there > a window in the middle
  faults/tasks: is read for %s only there > its end, without a window
  tasks/output-window: 1.2 GB large is read only where it was asked for
`;
