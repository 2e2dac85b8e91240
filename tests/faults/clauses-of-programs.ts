/** Items 1 to 15: programs and results. */

export const PROGRAM_CLAUSES = `
1 an endless synchronous loop settles in time, while pi's event loop ticks
  program/run-program-endings: that loops for ever is stopped at its deadline while pi's event loop goes on
  faults/host: has an event loop that kept ticking
1 an endless microtask loop settles in time
  program/run-program-endings: that loops in microtasks is stopped at its deadline
1 one core is freed
  faults/host: has its processes, threads, descriptors and processor back after each
2 process.exit(0|3) is a failed run naming the code, logs before it kept
  program/run-program-endings: that calls process.exit(%i) fails naming the code and keeps its logs
2 process.abort()
  program/run-program-containment: that runs %s fails naming the signal > process.abort()
2 process.kill(process.pid)
  program/run-program-containment: that runs %s fails naming the signal > process.kill(process.pid); for (;;) {}
3 objects
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > objects
3 one string
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > one string
3 a growing Map
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > a growing Map
3 a.concat(a)
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > a = a.concat(a)
3 new Array(3e8).fill({})
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > new Array(3e8).fill({})
3 buffers
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > buffers
3 wasm memory
  program/run-program-containment: that fills memory with %s fails and says so, and the next one runs > wasm memory
3 a blocking execSync
  program/run-program-containment: that blocks in a native call is killed with everything it started
3 a huge JSON.parse; pi's exit is not delayed
  faults/host: a host ends at once after programs in processes that block in native code
3 pi has its memory back
  faults/host: has its memory back
3 pi is alive
  pi/programs: survives programs that kill themselves, blow up memory or block
4 a rejection nobody awaits is named
  program/run-program-endings: that rejects without anybody awaiting it fails naming the rejection
  program/run-program-endings: that never awaits a failed call fails naming it
4 an error thrown in a timer is named
  program/run-program-endings: that throws in a timer fails naming the error
4 after the return too, never a crash of pi or of the next run
  program/run-program-endings: that returns right after such a rejection still fails
  faults/programs-and-results: that %s after it returned is good, and the next one hears nothing of it
5 timers, patched Array.prototype and globals leave no trace in the next program
  program/run-program-endings: cannot reach the next one through patched prototypes, globals or timers
5 an unawaited tools.write does not happen
  faults/programs-and-results: that makes calls after it returned, %s, is good, and none of them leaves
6 two programs in one turn, one aborted: the other finishes
  program/run-program-endings: finishes while another one of the same turn is aborted
6 thirty aborts: the thread count returns to where it was
  faults/host: has its processes, threads, descriptors and processor back after each > times: 30
7 5000 calls in one Promise.all: bounded descriptors
  faults/host: needs few descriptors for 5000 calls at once
7 pi stays responsive, all accounted for
  program/run-program-calls: has at most ten calls executing at once, all of 5000 answered
  faults/host: has an event loop that kept ticking
8 a million log lines
  program/run-program-text: takes a million lines within bounds
8 one 300 KB line with a final newline
  program/run-program-text: cuts a long line at 200 characters, and the file has all of it
8 4000 lines then a throw: the error visible
  program/run-program-text: never cuts the error away after 4000 lines, and keeps the last of them
8 the full text in the file, counts stated
  program/run-program-text: keeps the newest 2000 lines of many, and counts them
9 cuts never land inside a character
  base/plain-text: a cut never lands inside %s > a surrogate pair
9 cuts never land inside a grapheme
  base/plain-text: a cut never lands inside %s > a family of joined emoji
9 cuts never land inside a colour sequence
  program/run-text: never cuts a line inside a character, a grapheme or a colour
  base/plain-text: a cut of a cleaned coloured line leaves no part of a colour sequence
10 undefined
  faults/returned-values: that ends with %s > return undefined
10 a function
  faults/returned-values: that ends with %s > return { f: function go() {} }
10 BigInt
  faults/returned-values: that ends with %s > return 5n
10 a cycle
  faults/returned-values: that ends with %s > a.self = [a]
10 NaN/-0/Infinity
  faults/returned-values: that ends with %s > [NaN, -0, Infinity, -Infinity]
10 a sparse array
  faults/returned-values: that ends with %s > return [, 1, , 2]
10 Map
  faults/returned-values: that ends with %s > new Map([['k', 1]])
10 Set
  faults/returned-values: that ends with %s > return [new Set(['a'])]
10 Date
  faults/returned-values: that ends with %s > new Date(0)
10 RegExp
  faults/returned-values: that ends with %s > r: /a+/gi
10 Error
  faults/returned-values: that ends with %s > new RangeError('bad')
10 URL
  faults/returned-values: that ends with %s > new URL('http://a.b/c?d')
10 a typed array
  faults/returned-values: that ends with %s > new Uint8Array([1, 2])
10 a pending promise
  faults/returned-values: that ends with %s > new Promise(() => {})
10 a thenable that never settles
  faults/returned-values: that returns a thenable that never settles fails and says so
10 __proto__ and constructor keys
  faults/returned-values: that ends with %s > "__proto__": { "x": 1 }, "constructor": 2
10 shared references 30 levels deep
  faults/returned-values: that returns references shared 30 levels deep is held to its output limit
10 5 million nulls
  faults/returned-values: that returns five million nulls shows the last lines and leaves the value out
10 a getter that throws
  faults/returned-values: that ends with %s > get a() { throw new Error('no') }
10 a toJSON that throws
  faults/returned-values: that ends with %s > toJSON() { throw new Error('no') }
10 a Proxy that throws
  faults/returned-values: that ends with %s > {p: [throws: no]}
11 a thrown string
  program/run-program-endings: that throws %s fails with a message > a string
11 null
  program/run-program-endings: that throws %s fails with a message > throw null
11 an object
  program/run-program-endings: that throws %s fails with a message > an object
11 an AggregateError
  program/run-program-endings: that throws %s fails with a message > an AggregateError
11 an error with a cause
  program/run-program-endings: that throws %s fails with a message > an error with a cause
11 an error whose message throws
  program/run-program-endings: that throws %s fails with a message > an error whose message throws
12 a fenced block
  program/run-program-source: in one markdown fence is unwrapped: %j
12 a lone arrow function
  program/run-program-source: that is one lone function is called: %j > async () => 5
12 export default
  program/run-program-source: with %s fails to compile, naming construct and line > export default
12 import statements
  program/run-program-source: with %s fails to compile, naming construct and line > a static import
12 JSX
  program/run-program-source: with %s fails to compile, naming construct and line > JSX
12 decorators
  program/run-program-source: with %s fails to compile, naming construct and line > a decorator
12 enums
  program/run-program-source: with %s fails to compile, naming construct and line > enum
13 duplicate ids
  program/run-program-containment: that writes %s to the line itself fails as a protocol fault > a call id twice
13 unknown kinds
  program/run-program-containment: that writes %s to the line itself fails as a protocol fault > a frame of an unknown kind
  faults/programs-and-results: that posts %s to pi fails as a protocol fault > a frame of an unknown kind
13 wrong shapes
  program/run-program-containment: that writes %s to the line itself fails as a protocol fault > a frame of a wrong shape
  worker/protocol: makes the guard throw, whatever JSON it is
13 200 MiB
  program/run-program-containment: that writes %s to the line itself fails as a protocol fault > a length of 200 MiB
  faults/programs-and-results: that posts %s to pi fails as a protocol fault > 200 MiB of text
13 frames after the end
  program/run-program-containment: that forges its own end is taken at its word and no frame after it counts
  faults/programs-and-results: that posts its own end is taken at its word
13 a patched postMessage
  faults/programs-and-results: that patches its ways to send still reaches pi
14 deadlines of -1, NaN, "1000"
  program/run-program-endings: is refused for a deadline of %s, with a sentence
14 deadlines of 0 and 9999999999
  program/run-program-endings: gets the default for a deadline of 0 and a stated clamp above the ceiling
15 the temp folder is full
  faults/scarcity: because it %s leaves the result with a warning and no half file > is larger than files may be
15 missing
  faults/scarcity: because it %s leaves the result with a warning and no half file > has no folder
15 read-only
  faults/scarcity: because it %s leaves the result with a warning and no half file > has a folder where nobody may write
`;
