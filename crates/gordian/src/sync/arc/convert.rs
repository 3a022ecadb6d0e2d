//! What an [`Arc`] can be made from and turned into.

use super::Arc;
use std::borrow::Cow;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc as Std;
use std::task::{RawWaker, Wake, Waker};

/// Turning std's `Arc` into Gordian's and back, under a name that is also there when Gordian's is std's (without the
/// feature `check`).
pub trait FromStd {
    /// The value.
    type Value: ?Sized;
    /// Takes over one of std's.
    fn from_std(inner: Std<Self::Value>) -> Self;
    /// The reference as one of std's.
    fn into_std(this: Self) -> Std<Self::Value>;
}

impl<T: ?Sized> FromStd for Arc<T> {
    type Value = T;

    #[track_caller]
    fn from_std(inner: Std<T>) -> Arc<T> {
        Arc::from_std(inner)
    }

    fn into_std(this: Arc<T>) -> Std<T> {
        Arc::into_std(this)
    }
}

/// Values that [`Arc::make_mut`] can copy: what is `Clone`, and slices, strings and paths. Std asks for a trait that is
/// not stable yet and covers the same types.
pub trait MakeMut {
    #[doc(hidden)]
    fn clone_shared(of: &Std<Self>) -> Std<Self>;
    #[doc(hidden)]
    fn make_mut(of: &mut Std<Self>) -> &mut Self;
}

impl<T: Clone> MakeMut for T {
    fn clone_shared(of: &Std<T>) -> Std<T> {
        Std::new((**of).clone())
    }

    fn make_mut(of: &mut Std<T>) -> &mut T {
        Std::make_mut(of)
    }
}

macro_rules! make_mut {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> MakeMut for $type {
            fn clone_shared(of: &Std<$type>) -> Std<$type> {
                Std::from(&**of)
            }

            fn make_mut(of: &mut Std<$type>) -> &mut $type {
                Std::make_mut(of)
            }
        }
    )*};
}

make_mut! {
    [T: Clone] [T];
    [] str;
    [] CStr;
    [] OsStr;
    [] Path;
}

macro_rules! from {
    ($([$($generics:tt)*] $from:ty => $to:ty;)*) => {$(
        impl<$($generics)*> From<$from> for Arc<$to> {
            #[track_caller]
            fn from(value: $from) -> Arc<$to> {
                Arc::tracked(Std::from(value))
            }
        }
    )*};
}

from! {
    [T] T => T;
    [T: ?Sized] Box<T> => T;
    [T: Clone] &[T] => [T];
    [T: Clone] &mut [T] => [T];
    [T] Vec<T> => [T];
    [T, const N: usize] [T; N] => [T];
    [] &str => str;
    [] &mut str => str;
    [] String => str;
    [] &CStr => CStr;
    [] &mut CStr => CStr;
    [] CString => CStr;
    [] &OsStr => OsStr;
    [] &mut OsStr => OsStr;
    [] OsString => OsStr;
    [] &Path => Path;
    [] &mut Path => Path;
    [] PathBuf => Path;
}

impl<'a, B> From<Cow<'a, B>> for Arc<B>
where
    B: ToOwned + ?Sized,
    Arc<B>: From<&'a B> + From<B::Owned>,
{
    #[track_caller]
    fn from(cow: Cow<'a, B>) -> Arc<B> {
        match cow {
            Cow::Borrowed(b) => Arc::from(b),
            Cow::Owned(b) => Arc::from(b),
        }
    }
}

impl From<Arc<str>> for Arc<[u8]> {
    fn from(arc: Arc<str>) -> Arc<[u8]> {
        let (count, inner) = arc.into_parts();
        Arc::new_from(count, Std::from(inner))
    }
}

impl<T, const N: usize> TryFrom<Arc<[T]>> for Arc<[T; N]> {
    type Error = Arc<[T]>;

    fn try_from(arc: Arc<[T]>) -> Result<Arc<[T; N]>, Arc<[T]>> {
        let (count, inner) = arc.into_parts();
        match <Std<[T; N]>>::try_from(inner) {
            Ok(inner) => Ok(Arc::new_from(count, inner)),
            Err(inner) => Err(Arc::new_from(count, inner)),
        }
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Arc<[T]> {
        Arc::tracked(Std::from_iter(iter))
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Arc<T> {
        Arc::new(T::default())
    }
}

impl<T> Default for Arc<[T]> {
    #[track_caller]
    fn default() -> Arc<[T]> {
        Arc::from(Vec::new())
    }
}

impl Default for Arc<str> {
    #[track_caller]
    fn default() -> Arc<str> {
        Arc::from("")
    }
}

impl Default for Arc<CStr> {
    #[track_caller]
    fn default() -> Arc<CStr> {
        Arc::from(c"")
    }
}

impl<T: ?Sized> From<Arc<T>> for Pin<Arc<T>> {
    fn from(arc: Arc<T>) -> Pin<Arc<T>> {
        Arc::into_pin(arc)
    }
}

/// The waker holds the reference as one of std's.
impl<W: Wake + Send + Sync + 'static> From<Arc<W>> for Waker {
    fn from(arc: Arc<W>) -> Waker {
        Waker::from(Arc::into_std(arc))
    }
}

/// The waker holds the reference as one of std's.
impl<W: Wake + Send + Sync + 'static> From<Arc<W>> for RawWaker {
    fn from(arc: Arc<W>) -> RawWaker {
        RawWaker::from(Arc::into_std(arc))
    }
}

impl<T: ?Sized> Default for Pin<Arc<T>>
where
    Arc<T>: Default,
{
    #[track_caller]
    fn default() -> Pin<Arc<T>> {
        Arc::into_pin(Arc::default())
    }
}
