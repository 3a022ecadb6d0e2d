//! `#[gordian::lin::operations]`: the methods of an impl block as operations.

use crate::Error;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

/// A method that is an operation.
struct Operation {
    name: Ident,
    /// An expression for each argument, which gives what to choose from.
    choices: Vec<TokenStream>,
    /// What is said of it: calls of methods of `Object`.
    said: Vec<TokenStream>,
}

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> Result<TokenStream, Error> {
    let make = parse_options(options)?;
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let body = match tokens.pop() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        other => return Err(no_impl(other.as_ref())),
    };
    let start = tokens.iter().position(|t| is_word(t, "impl")).ok_or_else(|| no_impl(tokens.first()))?;
    let (attributes, subject) = (&tokens[..start], &tokens[start + 1..]);
    if let Some(word) = subject.iter().find(|t| is_word(t, "for")) {
        return Err(Error::new(
            word.span(),
            "operations are the methods of a type, not of a trait: use an impl block without `for`, or gordian::lin::Object",
        ));
    }
    if let Some(TokenTree::Punct(p)) = subject.first().filter(|t| is_sign(t, '<')) {
        return Err(Error::new(
            p.span(),
            "a type with parameters cannot be tested as it is: name the type, or use gordian::lin::Object with the one to be tested",
        ));
    }
    let (body, operations) = take_operations(body)?;
    let subject: TokenStream = subject.iter().cloned().collect();
    let attributes: TokenStream = attributes.iter().cloned().collect();
    let make = make.unwrap_or_else(|| quote!(<#subject as ::core::default::Default>::default()));
    let calls = operations.iter().map(call);
    Ok(quote! {
        #attributes impl #subject #body

        impl #subject {
            /// The operations, to be checked for linearizability.
            #[allow(dead_code)]
            pub fn operations() -> ::gordian::lin::Object<#subject> {
                ::gordian::lin::Object::new(|| #make) #(#calls)*
            }
        }
    })
}

/// `new = expression`, or nothing.
fn parse_options(options: TokenStream) -> Result<Option<TokenStream>, Error> {
    let mut tokens = options.into_iter();
    let Some(first) = tokens.next() else { return Ok(None) };
    let sign = tokens.next();
    if !is_word(&first, "new") || !sign.as_ref().is_some_and(|s| is_sign(s, '=')) {
        return Err(Error::new(
            first.span(),
            "expected `new = ` and an expression that makes the object, or nothing if Default::default() does",
        ));
    }
    Ok(Some(tokens.collect()))
}

/// The body without the attributes that are ours, and what they say.
fn take_operations(body: Group) -> Result<(TokenTree, Vec<Operation>), Error> {
    let span = body.span();
    let mut left: Vec<TokenTree> = Vec::new();
    let mut operations = Vec::new();
    let mut tokens = body.stream().into_iter().peekable();
    let mut said: Option<(Ident, TokenStream)> = None;
    while let Some(token) = tokens.next() {
        if is_sign(&token, '#')
            && let Some(TokenTree::Group(group)) = tokens.peek()
            && let Some(op) = operation(group)
        {
            said = Some(op);
            tokens.next();
            continue;
        }
        let is_fn = is_word(&token, "fn");
        left.push(token);
        if !is_fn {
            continue;
        }
        let Some(TokenTree::Ident(name)) = tokens.next() else { continue };
        left.push(TokenTree::Ident(name.clone()));
        let Some((at, text)) = said.take() else { continue };
        match tokens.next() {
            Some(TokenTree::Group(parameters)) if parameters.delimiter() == Delimiter::Parenthesis => {
                operations.push(read(&at, name, text, &parameters)?);
                left.push(TokenTree::Group(parameters));
            }
            _ => {
                return Err(Error::new(
                    name.span(),
                    format!("`{name}` has parameters of its own; an operation cannot have them"),
                ));
            }
        }
    }
    if let Some((at, _)) = said {
        return Err(Error::new(at.span(), "#[op] stands before a method"));
    }
    if operations.is_empty() {
        return Err(Error::new(span, "there is nothing to call: put #[op] before the methods to be called"));
    }
    let mut body = Group::new(Delimiter::Brace, left.into_iter().collect());
    body.set_span(span);
    Ok((TokenTree::Group(body), operations))
}

/// What is in `[op(...)]`, or in `[cfg_attr(test, op(...))]`, which takes it away together with our own attribute.
fn operation(group: &Group) -> Option<(Ident, TokenStream)> {
    let mut tokens = group.stream().into_iter();
    if let (Some(TokenTree::Ident(word)), Some(TokenTree::Group(inner)), None) =
        (tokens.next(), tokens.next(), tokens.next())
        && word == "cfg_attr"
    {
        let inner = split(inner.stream(), ',').into_iter().nth(1)?;
        return operation(&Group::new(Delimiter::Bracket, inner));
    }
    let mut tokens = group.stream().into_iter();
    match (tokens.next(), tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(op)), None, None) if op == "op" => Some((op, TokenStream::new())),
        (Some(TokenTree::Ident(op)), Some(TokenTree::Group(text)), None) if op == "op" => {
            Some((op, text.stream()))
        }
        _ => None,
    }
}

fn read(at: &Ident, name: Ident, text: TokenStream, parameters: &Group) -> Result<Operation, Error> {
    let mut parameters = split(parameters.stream(), ',').into_iter();
    let this: Option<Vec<String>> = parameters.next().map(|p| p.into_iter().map(|t| t.to_string()).collect());
    if this.is_none_or(|this| this != ["&", "self"]) {
        return Err(Error::new(
            name.span(),
            format!("`{name}` must take `&self`: several threads call it at once"),
        ));
    }
    let parameters = parameters.len();
    let mut parts = split(text, ';').into_iter();
    let choices = parts.next().map(|choices| split(choices, ',')).unwrap_or_default();
    let said = parts.next().map(|said| split(said, ',')).unwrap_or_default();
    if choices.len() != parameters {
        return Err(Error::new(
            at.span(),
            format!(
                "`{name}` takes {parameters} arguments, and there are {} to choose from: #[op(..)] has an expression for each, such as #[op(1..=3)]",
                choices.len()
            ),
        ));
    }
    Ok(Operation { name, choices, said })
}

/// The parts between signs; the last may be empty.
fn split(tokens: TokenStream, sign: char) -> Vec<TokenStream> {
    let mut parts: Vec<Vec<TokenTree>> = vec![Vec::new()];
    for token in tokens {
        if is_sign(&token, sign) {
            parts.push(Vec::new());
        } else {
            parts.last_mut().expect("there is one").push(token);
        }
    }
    if parts.last().is_some_and(Vec::is_empty) {
        parts.pop();
    }
    parts.into_iter().map(|part| part.into_iter().collect()).collect()
}

/// The call that adds the operation.
fn call(operation: &Operation) -> TokenStream {
    let Operation { name, choices, said } = operation;
    let text = name.to_string();
    let arguments: Vec<Ident> = (0..choices.len()).map(|i| format_ident!("argument_{i}")).collect();
    let (all, pattern) = match &choices[..] {
        [] => (quote!([()]), quote!(())),
        [one] => (quote!(#one), quote!(argument_0)),
        _ => {
            let push = quote!(all.push((#(::core::clone::Clone::clone(&#arguments)),*)););
            let loops = choices
                .iter()
                .zip(&arguments)
                .rev()
                .fold(push, |inner, (choice, argument)| quote!(for #argument in #choice { #inner }));
            (quote!({ let mut all = ::std::vec::Vec::new(); #loops all }), quote!((#(#arguments),*)))
        }
    };
    quote!(.op(#text, #all, |object: &Self, #pattern| object.#name(#(#arguments),*)) #(.#said)*)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn no_impl(token: Option<&TokenTree>) -> Error {
    let at = token.map_or_else(proc_macro2::Span::call_site, TokenTree::span);
    Error::new(
        at,
        "#[gordian::lin::operations] stands before an impl block, whose methods with #[op] are the operations",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(options: TokenStream, item: TokenStream) -> String {
        expand(options, item).map_or_else(|e| e.message, |tokens| tokens.to_string())
    }

    #[test]
    fn methods_become_operations() {
        let text = expanded(
            quote!(new = Queue::with(3)),
            quote! {
                impl Queue {
                    fn with(n: usize) -> Queue { Queue(n) }
                    #[op(1..=3, [true, false]; weight(2), lock_free())]
                    /// Puts in.
                    pub fn push(&self, value: usize, last: bool) -> bool { true }
                    #[cfg_attr(test, op)]
                    fn pop(&self) -> Option<usize> { None }
                    #[cfg_attr(test, inline)]
                    fn other(&self) {}
                }
            },
        );
        assert!(text.contains(&quote!(gordian::lin::Object::new(|| Queue::with(3))).to_string()), "{text}");
        assert!(text.contains("\"push\"") && text.contains("\"pop\""), "{text}");
        assert!(text.contains(". weight (2) . lock_free ()"), "{text}");
        assert!(text.contains(&quote!(|object: &Self, (argument_0, argument_1)|).to_string()), "{text}");
        assert!(!text.contains("# [op") && !text.contains("test , op"), "{text}");
        assert!(text.contains("inline") && !text.contains("\"other\""), "{text}");
    }

    #[test]
    fn mistakes_are_named() {
        let one = quote!(impl Queue { #[op] fn pop(&self) {} });
        for (options, item, said) in [
            (quote!(neu = 3), one.clone(), "expected `new = `"),
            (quote!(), quote!(impl Pop for Queue { #[op] fn pop(&self) {} }), "not of a trait"),
            (
                quote!(),
                quote!(
                    impl<T> Queue<T> {
                        #[op]
                        fn pop(&self) {}
                    }
                ),
                "a type with parameters",
            ),
            (quote!(), quote!(impl Queue { fn pop(&self) {} }), "nothing to call"),
            (quote!(), quote!(impl Queue { #[op] fn pop(&mut self) {} }), "must take `&self`"),
            (
                quote!(),
                quote!(impl Queue { #[op] fn push(&self, v: u8) {} }),
                "takes 1 arguments, and there are 0",
            ),
            (
                quote!(),
                quote!(impl Queue { #[op(1..3)] fn push<T>(&self, v: T) {} }),
                "parameters of its own",
            ),
            (quote!(), quote!(impl Queue { #[op] const N: u8 = 1; }), "stands before a method"),
            (
                quote!(),
                quote!(
                    struct Queue;
                ),
                "stands before an impl block",
            ),
        ] {
            let text = expanded(options, item);
            assert!(text.contains(said), "{said}: {text}");
        }
    }
}
