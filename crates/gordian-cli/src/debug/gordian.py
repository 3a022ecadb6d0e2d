"""Commands for gdb that know the steps and the threads under test of a replay.

There are two kinds. What follows is about tests; of a native program it is said below, in native().

The runtime of a replay stops in gordian::runtime::watch::stop, whose only argument is the address of four words: a magic
number, the step to stop before next (which is written to from here), and address and length of a JSON text that says what
there is. Threads under test are coroutines, of which gdb knows nothing. The JSON text has the registers that each went to
rest with; an unwinder lets such a thread appear as the caller of the function that gdb has stopped in. So nothing in the
program is ever changed.
"""

import json
import struct
import subprocess

import gdb
import gdb.unwinder

NATIVE = given.get("native")
STOP = "__gordian_stop" if NATIVE else "gordian::runtime::watch::stop"
MAGIC = int.from_bytes(b"gordian\x02" if NATIVE else b"gordian\x01", "little")
ENDED = 2**32
END = 2**64 - 1
# Functions that are not the user's.
OURS = ("gordian::", "gordian_model::", "corosensei::", "std::", "core::", "alloc::", "test::", "__rust")

HELP = """gordian step N       go to step N: before it, on the stack of its thread; back as well, by running again
gordian step         go to the next step
gordian end          go to the failure itself
gordian steps        the steps so far
gordian threads      the threads under test: what each does next, and its stack
gordian thread NAME  look at another thread: bt, frame, print and info locals are about it
gordian help         this text
The rest is gdb: print, bt, up, down, info locals, break, continue."""


class State:
    """What is known since the last stop."""

    moment = None
    view = None
    # The register values of gdb's own frame at the stop.
    pc = None
    sp = None
    # The thread that is looked at, if it is not the one that gdb has stopped in.
    registers = None
    # A command of ours is under way and will say what there is.
    quiet = False


class Coroutines(gdb.unwinder.Unwinder):
    """Lets the thread that is looked at appear as the caller of the function that gdb has stopped in."""

    def __init__(self):
        super().__init__("gordian")

    def __call__(self, frame):
        if not State.registers:
            return None
        names = State.moment["names"]
        here = [int(frame.read_register(name)) % 2**64 for name in names[:2]]
        if here != [State.pc, State.sp]:
            return None
        # Just below the frame that is to follow: a caller that lies below its callee is taken for an error.
        identity = Identity(gdb.Value(State.registers[names[1]] - 16), gdb.Value(State.pc))
        info = frame.create_unwind_info(identity)
        kind = frame.read_register(names[1]).type
        for name, value in State.registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(kind))
        return info


class Identity:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


def look_at(thread):
    """From now on frames are those of this thread."""
    if NATIVE:
        numbers = [t["number"] for t in State.moment["threads"] if t["name"] == thread]
        for one in gdb.selected_inferior().threads():
            if one.ptid[1] in numbers:
                one.switch()
                return True
        return False
    here = State.moment["here"] and thread == State.moment["thread"]
    found = [t for t in State.moment["threads"] if t["name"] == thread]
    State.registers = None if here or not found else found[0]["registers"] or None
    gdb.invalidate_cached_frames()
    return here or State.registers is not None


def is_ours(frame):
    """Is it in the runtime that is put into native programs?"""
    return NATIVE and gdb.solib_name(frame.pc()) == NATIVE["library"]


def frames():
    """The frames of the thread that is looked at, down to where it began."""
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        name = frame.name() or ""
        if name.startswith("gordian::runtime::job::") or name.startswith("gordian::thread::life::"):
            return
        if is_ours(frame) and name.split("::")[-1] in ("begin", "ours"):
            return
        yield frame
        try:
            frame = frame.older()
        except gdb.error:
            return


def users():
    """Those that run code of the user's."""
    for frame in frames():
        name = frame.name() or ""
        if is_ours(frame) or not name or name.lstrip("<&").startswith(OURS):
            continue
        if frame.find_sal().symtab is not None:
            yield frame


def shown(frame):
    place = frame.find_sal()
    return "#%d %s (%s:%d)" % (frame.level(), frame.name(), place.symtab.filename, place.line)


def select():
    """Selects the frame of the user's code, and shows its line."""
    for frame in users():
        frame.select()
        print(shown(frame))
        place = frame.find_sal()
        try:
            with open(place.symtab.fullname(), encoding="utf-8") as source:
                line = source.read().split("\n")[place.line - 1]
            print("%d\t%s" % (place.line, line))
        except (OSError, IndexError, UnicodeDecodeError):
            print("(the source could not be read)")
        return
    print("(no function of the program was found on the stack: is it built with debug information?)")


def tell():
    """Says where we are."""
    moment = State.moment
    if moment["failed"] is not None:
        # Proving that a loop waits for ever may take a round more than were recorded.
        print("the failure, after %s: %s" % (steps(min(moment["made"], total)), moment["failed"]))
    else:
        next = [t for t in moment["threads"] if t["name"] == moment["thread"]][0]
        place = " (%s)" % next["place"] if next["place"] else ""
        print("before step %d of %d: %s: %s%s" % (moment["step"], total, moment["thread"], next["next"], place))
    if moment["thread"] is not None and look_at(moment["thread"]):
        select()


def steps(n):
    return "1 step" if n == 1 else "%d steps" % n


def stopped(event):
    """Reads what the runtime says."""
    State.moment = None
    State.registers = None
    try:
        frame = gdb.newest_frame()
    except gdb.error:
        return
    if frame.name() != STOP:
        return
    argument = "rdi" if frame.architecture().name().startswith("i386") else "x0"
    address = int(frame.read_register(argument)) % 2**64
    inferior = gdb.selected_inferior()
    magic, _, text, length = struct.unpack("<QQQQ", inferior.read_memory(address, 32).tobytes())
    if magic != MAGIC:
        print("gordian: this program was built with another version of gordian")
        return
    State.view = address
    if NATIVE:
        State.moment = native(inferior, address)
        if not State.quiet:
            tell()
        return
    State.moment = json.loads(inferior.read_memory(text, length).tobytes().decode("utf-8"))
    names = State.moment["names"]
    if names:
        State.pc, State.sp = [int(frame.read_register(name)) % 2**64 for name in names[:2]]
    if not State.quiet:
        tell()


def native(inferior, address):
    """What there is where a native program has stopped.

    Its threads are the system's, so gdb knows their stacks. The program hands over the steps in a form that another program reads,
    which is asked for the words.
    """
    words = struct.unpack("<9Q", inferior.read_memory(address, 72).tobytes())
    _, _, text, length, made, thread, failed, numbers, count = words
    with open(NATIVE["stopped"], "wb") as file:
        file.write(inferior.read_memory(text, length).tobytes())
    answer = subprocess.run(NATIVE["moment"] + [NATIVE["stopped"]], capture_output=True, check=False)
    if answer.returncode:
        raise gdb.GdbError(answer.stderr.decode("utf-8", "replace").strip())
    moment = json.loads(answer.stdout.decode("utf-8"))
    born = []
    for i, number in enumerate(struct.unpack("<%dQ" % count, inferior.read_memory(numbers, 8 * count).tobytes())):
        if number and i < len(moment["threads"]):
            about = moment["threads"][i]
            about["number"] = number % ENDED
            about["ended"] = number >= ENDED
            born.append(about)
    name = moment["threads"][thread]["name"] if thread < len(moment["threads"]) else None
    moment.update(threads=born, made=made, thread=name, step=None if failed else made + 1, here=False)
    return moment


def resumed(_):
    State.registers = None
    State.moment = None


def run(command):
    """Lets the program run on, without what gdb says about it."""
    State.quiet = True
    try:
        said = gdb.execute(command, to_string=True)
    finally:
        State.quiet = False
    if State.moment is not None:
        return
    if gdb.selected_inferior().pid:
        print(said.strip())
        raise gdb.GdbError("gordian: the program has stopped for another reason")
    raise gdb.GdbError("gordian: the program has ended without coming there; gordian step N runs it again")


def go(target):
    """Goes to a step, or to the end."""
    moment = State.moment
    now = None if moment is None else (END if moment["failed"] is not None else moment["step"])
    if now is None or target < now:
        where = "end" if target == END else target
        if NATIVE:
            # The shell that starts the program must not have this in its environment.
            gdb.execute("set exec-wrapper env %s=%s %s" % (NATIVE["stop"], where, NATIVE["environment"]))
        else:
            gdb.execute("set environment GORDIAN_DEBUG %s" % where)
        run("run %s < /dev/null" % given["arguments"])
    elif target > now:
        gdb.selected_inferior().write_memory(State.view + 8, struct.pack("<Q", target))
        run("continue")
    tell()
    if State.moment["failed"] is not None and target != END:
        print("step %d was not reached: the execution ended before it" % target)


def does(thread):
    """What a thread does next."""
    if thread["next"]:
        return thread["next"]
    if thread["ended"]:
        return "has ended"
    return "fails here" if thread["name"] == State.moment["thread"] else "is running"


def standing():
    if State.moment is None:
        raise gdb.GdbError("gordian: the program is not stopped at a step; gordian step N goes to one")
    return State.moment


class Prefix(gdb.Command):
    """Steps and threads under test of a replay; gordian help lists the commands."""

    def __init__(self):
        super().__init__("gordian", gdb.COMMAND_USER, prefix=True)

    def invoke(self, argument, from_tty):
        if argument:
            raise gdb.GdbError("gordian: there is no command %r; gordian help lists them" % argument.split()[0])
        print(HELP)


class Help(gdb.Command):
    """List the commands."""

    def __init__(self):
        super().__init__("gordian help", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        print(HELP)


class Step(gdb.Command):
    """gordian step [N]: go to step N, or to the next one."""

    def __init__(self):
        super().__init__("gordian step", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        if argument:
            wanted = int(argument) if argument.isdigit() else 0
        else:
            moment = standing()
            wanted = total + 1 if moment["failed"] is not None else moment["step"] + 1
        if argument and not 1 <= wanted <= total:
            raise gdb.GdbError("gordian: there is no step %s: the execution has %s" % (argument, steps(total)))
        go(wanted if wanted <= total else END)


class End(gdb.Command):
    """Go to the failure itself."""

    def __init__(self):
        super().__init__("gordian end", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        go(END)


class Steps(gdb.Command):
    """The steps so far."""

    def __init__(self):
        super().__init__("gordian steps", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        print(standing()["table"], end="")


class Threads(gdb.Command):
    """The threads under test: what each does next, and its stack."""

    def __init__(self):
        super().__init__("gordian threads", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        moment = standing()
        looked_at, level = State.registers, gdb.selected_frame().level()
        selected = gdb.selected_thread()
        width = max(len(thread["name"]) for thread in moment["threads"])
        for thread in moment["threads"]:
            mark = "*" if thread["name"] == moment["thread"] else " "
            place = " (%s)" % thread["place"] if thread["place"] else ""
            print("%s %s  %s%s" % (mark, thread["name"].ljust(width), does(thread), place))
            if not thread["ended"] and look_at(thread["name"]):
                for frame in users():
                    print("    " + shown(frame))
        State.registers = looked_at
        if NATIVE:
            selected.switch()
        gdb.invalidate_cached_frames()
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < level:
            frame = frame.older()
        if frame is not None:
            frame.select()


class Thread(gdb.Command):
    """gordian thread NAME: look at a thread under test."""

    def __init__(self):
        super().__init__("gordian thread", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        moment = standing()
        found = [t for t in moment["threads"] if t["name"] == argument]
        if not found:
            names = ", ".join(t["name"] for t in moment["threads"])
            raise gdb.GdbError("gordian: there is no thread %r; there are %s" % (argument, names))
        if found[0]["ended"]:
            raise gdb.GdbError("gordian: %s has ended, so it has no stack" % argument)
        if not look_at(argument):
            raise gdb.GdbError("gordian: where %s is on its stack is not known" % argument)
        print("%s: %s" % (argument, does(found[0])))
        select()

    def complete(self, text, word):
        return [t["name"] for t in (State.moment or {"threads": []})["threads"] if t["name"].startswith(word)]


for setting in [
    "pagination off",
    "confirm off",
    "print thread-events off",
    "print inferior-events off",
    "breakpoint pending on",
    "debuginfod enabled off",
    "style enabled off" if plain else "style enabled on",
]:
    try:
        gdb.execute("set " + setting, to_string=True)
    except gdb.error:
        pass  # Older versions do not know them all.
# The runtime answers faults of its own, when it looks at memory that may not be there.
gdb.execute("handle SIGSEGV nostop noprint pass", to_string=True)
if not NATIVE:
    gdb.unwinder.register_unwinder(None, Coroutines(), True)
for command in [Prefix, Help, Step, End, Steps, Threads, Thread]:
    command()
gdb.events.stop.connect(stopped)
gdb.events.cont.connect(resumed)


def set_breakpoint():
    gdb.Breakpoint(STOP, internal=True).silent = True


def loaded(event):
    """The runtime of a native program comes with the program's libraries."""
    if event.new_objfile.filename == NATIVE["library"]:
        gdb.events.new_objfile.disconnect(loaded)
        set_breakpoint()


if NATIVE:
    gdb.events.new_objfile.connect(loaded)
else:
    set_breakpoint()
go(first)
