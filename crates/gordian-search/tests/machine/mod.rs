//! A target without coroutines: each thread is a little machine that runs a compiled program, so that every object
//! model can be searched, and compared with brute force, hundreds of thousands of times.

mod code;
pub mod draw;
pub mod program;
mod smaller;

use code::{Code, Compiler, Keep, Thing};
use gordian_model::conductor::Visit;
use gordian_model::object::Object;
use gordian_model::{Conductor, Decision, ObjectId, Op, OpKind, Order, Plan, Reply, SiteId, ThreadId, Trace};
use gordian_search::Target;
use program::Program;

#[derive(Clone, Debug, Default)]
struct Thread {
    body: usize,
    at: usize,
    value: u64,
    reply: Reply,
    generation: u64,
    dropped: u128,
    children: Vec<ThreadId>,
    log: Vec<u64>,
    /// The end has been announced.
    ending: bool,
    /// State at the last probe.
    probe: Option<(usize, u64, usize)>,
}

/// Runs one program.
pub struct Machine {
    pub conductor: Conductor,
    one_site: bool,
    senders: u32,
    bodies: Vec<Vec<Code>>,
    threads: Vec<Option<Thread>>,
    objects: [[Option<ObjectId>; 4]; 10],
    payloads: [Vec<u64>; 4],
    sites: Vec<SiteId>,
    /// How many steps were repeated like that.
    pub again: usize,
    /// How many new ones were made like that.
    pub ahead: usize,
    /// Every step is announced instead.
    pub announces: bool,
    /// So many steps are planned.
    planned: usize,
}

/// What a program could see of an execution.
pub type Outcome = (Vec<(usize, Vec<u64>)>, Vec<Option<u64>>);

impl Machine {
    pub fn new(program: &Program) -> Machine {
        let bodies = Compiler::compile(program);
        let mut conductor = Conductor::default();
        // Places: one for each kind and number of object, then one for each line of each body.
        let sites = (0..64 + 256 * bodies.len() as u32)
            .map(|line| conductor.names.intern("program", line + 1, 1))
            .collect();
        Machine {
            conductor,
            one_site: program.one_site,
            senders: program.bodies.len() as u32 - 1,
            bodies,
            threads: Vec::new(),
            objects: [[None; 4]; 10],
            payloads: Default::default(),
            sites,
            again: 0,
            ahead: 0,
            announces: false,
            planned: 0,
        }
    }

    /// What could be seen of the last execution.
    pub fn outcome(&mut self) -> Outcome {
        let logs =
            self.threads.iter().enumerate().filter_map(|(i, t)| Some((i, t.as_ref()?.log.clone()))).collect();
        let values = self.objects[0]
            .iter()
            .map(|id| match self.conductor.object_mut((*id)?) {
                Object::Atomic(atomic) => Some(atomic.value()),
                _ => None,
            })
            .collect();
        (logs, values)
    }

    fn object(&mut self, thread: ThreadId, thing: Thing) -> ObjectId {
        let me = self.threads[thread.index()].as_ref().expect("alive");
        match thing {
            Thing::Nothing => ObjectId::NONE,
            Thing::Me => ObjectId::life(thread),
            // Main spawns its threads in order, before anything else, so their numbers are known.
            Thing::Thread(n) => ObjectId::life(if n == 0 || u32::from(n) > self.senders {
                ThreadId::MAIN
            } else {
                self.conductor.names.child(ThreadId::MAIN, u32::from(n) - 1)
            }),
            Thing::Child(n) => ObjectId::life(me.children[n as usize]),
            _ => {
                let (kind, number) = (thing.kind(), thing.number());
                if let Some(id) = self.objects[kind as usize][number as usize] {
                    return id;
                }
                let line = kind * 4 + if self.one_site { 0 } else { number };
                let id = self.conductor.create(thing.model(self.senders), self.sites[line as usize]);
                self.objects[kind as usize][number as usize] = Some(id);
                id
            }
        }
    }

    /// Runs the thread up to its next op.
    fn advance(&mut self, thread: ThreadId) {
        loop {
            let me = self.threads[thread.index()].as_mut().expect("alive");
            let Some(&code) = self.bodies[me.body].get(me.at) else {
                if self.conductor.options().end_steps && !std::mem::replace(&mut me.ending, true) {
                    let site = self.sites[63];
                    self.conductor.announce(thread, &Op::new(OpKind::End, ObjectId::life(thread), site));
                    return;
                }
                self.conductor.finish(thread);
                return;
            };
            let site = self.sites[64 + 256 * me.body + if self.one_site { 0 } else { me.at }];
            let mut jump = |to: usize| me.at = to;
            let op = match code {
                Code::UnlessOk(to) if !me.reply.ok => {
                    jump(to);
                    continue;
                }
                Code::UnlessValue(k, to) if me.value != k => {
                    jump(to);
                    continue;
                }
                Code::Until(k, back) if me.reply.value != k => {
                    jump(back);
                    continue;
                }
                Code::Jump(to) => {
                    jump(to);
                    continue;
                }
                Code::UnlessDropped(c, to) if me.dropped >> c & 1 != 0 => {
                    jump(to);
                    continue;
                }
                Code::Dropped(c) => {
                    me.dropped |= 1 << c;
                    me.at += 1;
                    continue;
                }
                Code::UnlessOk(_) | Code::UnlessValue(..) | Code::Until(..) | Code::UnlessDropped(..) => {
                    me.at += 1;
                    continue;
                }
                Code::Spawn(body) => {
                    me.at += 1;
                    let child = self.conductor.spawn(thread);
                    self.threads[thread.index()].as_mut().expect("alive").children.push(child);
                    self.born(child, body);
                    continue;
                }
                Code::Copy(v, k) => {
                    let arg = me.value + k;
                    let object = self.object(thread, Thing::Atomic(v));
                    Op { arg, detail: 8, ..Op::new(OpKind::Store, object, site) }
                }
                Code::Heeding { kind, thing, other } => {
                    let (object, other) = (self.object(thread, thing), self.object(thread, other));
                    Op { other, detail: Op::CANCELLABLE, ..Op::new(kind, object, site) }
                }
                Code::Do { kind, thing, other, arg, arg2, .. } => {
                    let arg = match kind {
                        OpKind::Leave | OpKind::IsLeader => me.generation,
                        OpKind::SendTaken => me.generation,
                        _ => arg,
                    };
                    if let Thing::Child(n) = thing
                        && n as usize >= me.children.len()
                    {
                        // It was in a branch that was not taken.
                        me.at += 1;
                        continue;
                    }
                    let object = self.object(thread, thing);
                    if kind == OpKind::Join {
                        // No step: it goes on at once, or when it is released.
                        let target = object.as_life().expect("a thread");
                        self.threads[thread.index()].as_mut().expect("alive").at += 1;
                        if self.conductor.join(thread, target, site) {
                            continue;
                        }
                        return;
                    }
                    let other = self.object(thread, other);
                    Op { arg, arg2, other, detail: 8, ..Op::new(kind, object, site) }
                }
            };
            let mut op = Op { order: Order::SeqCst, failure: Order::SeqCst, ..op };
            if matches!(op.kind, OpKind::CountUp | OpKind::CountDown | OpKind::CountRead | OpKind::Upgrade)
                || op.kind == OpKind::FutexRequeue
            {
                op.detail = 0;
            }
            let at = self.conductor.trace.len();
            if !self.announces
                && self.conductor.leads(thread, op.site)
                && let Some(reply) = self.conductor.at_once(&op)
            {
                // Only what is planned can be known from the last execution.
                *(if at < self.planned { &mut self.again } else { &mut self.ahead }) += 1;
                return self.took(thread, reply);
            }
            if let Visit::Probe { again, renew } = self.conductor.announce(thread, &op) {
                let me = self.threads[thread.index()].as_mut().expect("alive");
                let state = (me.at, me.value, me.log.len());
                let same = me.probe == Some(state);
                if renew {
                    me.probe = Some(state);
                }
                if again {
                    self.conductor.probed(thread, same);
                }
            }
            return;
        }
    }

    fn born(&mut self, thread: ThreadId, body: usize) {
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, None);
        }
        self.threads[thread.index()] = Some(Thread { body, ..Thread::default() });
        self.advance(thread);
    }

    fn advance_released(&mut self) {
        while let Some(thread) = self.conductor.next_released() {
            self.advance(thread);
        }
    }

    fn step(&mut self, thread: ThreadId) {
        let reply = self.conductor.perform(thread);
        let Op { kind, object, other, .. } = *self.conductor.drafted(thread);
        if kind == OpKind::FutexRequeue {
            self.conductor.requeued(object, other);
        }
        self.took(thread, reply);
    }

    /// The thread has made a step, and goes on to its next op.
    fn took(&mut self, thread: ThreadId, reply: Reply) {
        let me = self.threads[thread.index()].as_mut().expect("alive");
        if me.ending {
            return self.advance(thread);
        }
        let code = self.bodies[me.body][me.at];
        me.reply = reply;
        me.at += 1;
        if let Code::Heeding { .. } = code {
            me.log.extend([u64::from(reply.ok), u64::from(reply.flag)]);
        }
        if let Code::Do { thing, keep, .. } = code {
            match keep {
                Keep::Nothing => {}
                Keep::Value => {
                    me.value = reply.value;
                    me.log.extend([reply.value, u64::from(reply.ok)]);
                }
                Keep::Ok => {
                    me.value = u64::from(reply.ok);
                    me.log.extend([u64::from(reply.ok), u64::from(reply.flag)]);
                }
                Keep::Flag => {
                    me.value = u64::from(reply.flag);
                    me.log.push(u64::from(reply.flag));
                }
                Keep::Generation => me.generation = reply.value,
                Keep::Sent(payload) => {
                    me.value = u64::from(reply.ok);
                    me.log.extend([u64::from(reply.ok), u64::from(reply.flag)]);
                    if reply.ok {
                        me.generation = reply.value;
                        let payload = payload + 10 * u64::from(thread.0);
                        let Thing::Channel(c) = thing else { unreachable!("only channels") };
                        assert_eq!(self.payloads[c as usize].len() as u64, reply.value);
                        self.payloads[c as usize].push(payload);
                    }
                }
                Keep::Message => {
                    let Thing::Channel(c) = thing else { unreachable!("only channels") };
                    me.value = if reply.ok { self.payloads[c as usize][reply.value as usize] } else { 0 };
                    me.log.extend([me.value, u64::from(reply.flag)]);
                }
            }
        }
        self.advance(thread);
    }
}

impl Target for Machine {
    fn run(&mut self, plan: &Plan) -> &Trace {
        self.planned = plan.prefix.len();
        self.conductor.begin(plan);
        self.threads.iter_mut().for_each(|t| *t = None);
        self.objects = [[None; 4]; 10];
        self.payloads.iter_mut().for_each(Vec::clear);
        self.born(ThreadId::MAIN, 0);
        self.advance_released();
        while let Decision::Run(thread) = self.conductor.decide() {
            self.conductor.switch_to(thread);
            self.step(thread);
            self.advance_released();
        }
        self.conductor.close();
        &self.conductor.trace
    }
}
