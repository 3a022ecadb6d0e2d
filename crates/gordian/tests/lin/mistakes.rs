//! What is said of objects that cannot be checked.

use super::{counter, kind, message};
use gordian::FailureKind;
use gordian::lin::{Object, Report};
use gordian::sync::Mutex;
use gordian::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[test]
fn panics_are_answers_if_that_is_said() {
    let object = || {
        Object::new(|| Mutex::new(0_u32))
            .op("put", [()], |n: &Mutex<u32>, ()| *n.lock().unwrap_or_else(|e| e.into_inner()) += 1)
            .op("take", [()], |n, ()| {
                let mut n = n.lock().unwrap_or_else(|e| e.into_inner());
                assert!(*n > 0, "nothing there");
                *n -= 1;
            })
    };
    let report = object().run();
    assert_eq!(kind(&report), Some(FailureKind::Misuse), "{report}");
    let said = message(&report);
    assert!(said.contains("take() fails by itself") && said.contains("nothing there"), "{said}");
    assert!(said.contains("Object::panics(true)"), "{said}");
    let report = object().panics(true).tests(5).run();
    assert_eq!(kind(&report), None, "{report}");
}

#[test]
fn mistakes_get_a_sentence_each() {
    let said = |report: Report| {
        assert_eq!(kind(&report), Some(FailureKind::Misuse), "{report}");
        message(&report)
    };
    let times = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let random = Object::new(|| AtomicUsize::new(0)).op("draw", [()], move |counter: &AtomicUsize, ()| {
        counter.load(SeqCst);
        times.fetch_add(1, SeqCst)
    });
    let sentence = said(random.run());
    assert!(sentence.contains("draw() is not deterministic"), "{sentence}");
    let choosing =
        Object::new(|| AtomicUsize::new(0)).op("draw", [()], |_: &AtomicUsize, ()| gordian::choose(2));
    let sentence = said(choosing.run());
    assert!(sentence.contains("draw()") && sentence.contains("not deterministic"), "{sentence}");
    assert!(said(Object::new(|| Mutex::new(0)).run()).contains("nothing to call"));
    assert!(
        said(counter().op("never", Vec::<u32>::new(), |_, _| ()).run()).contains("never has no arguments")
    );
    assert!(said(counter().size(20, 20).run()).contains("at most 64 calls"));
    assert!(said(counter().test("what").run()).contains("is no test"));
    assert!(said(counter().test(";7.0|0.0;").run()).contains("are not there"));
    assert!(said(counter().search("exhaustif").run()).contains("exhaustive"));
    assert!(
        said(Object::new(|| Mutex::new(0)).weight(3).run())
            .contains("Object::weight is about the operation before it")
    );
    assert!(said(counter().equal_states().run()).contains("there is none"));
    assert!(said(counter().specified_by(0_u32).run()).contains("comes before the operations"));
    gordian::Checker::new().run(|| {
        let report = counter().run();
        assert!(report.failure().unwrap().message().contains("inside a check"));
    });
    let unspecified =
        Object::new(|| Mutex::new(0))
            .specified_by(())
            .op("look", [()], |n: &Mutex<i32>, ()| *n.lock().unwrap());
    assert!(said(unspecified.run()).contains("look has no part in the specification"));
}
