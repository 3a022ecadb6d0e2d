//! The function under the attribute.

use crate::Error;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};

/// A function that can be a check.
pub(crate) struct Function {
    /// Each with its `#`.
    pub(crate) attributes: Vec<TokenStream>,
    pub(crate) visibility: TokenStream,
    pub(crate) name: Ident,
    /// With its arrow; empty if there is none.
    pub(crate) returns: TokenStream,
    pub(crate) body: TokenTree,
    /// The names in the `cover!`s of the body, as literals.
    pub(crate) markers: Vec<TokenTree>,
}

impl Function {
    pub(crate) fn parse(item: TokenStream) -> Result<Function, Error> {
        let mut tokens = item.into_iter().peekable();
        let mut attributes = Vec::new();
        while let Some(TokenTree::Punct(p)) = tokens.peek()
            && p.as_char() == '#'
        {
            let attribute: Vec<TokenTree> = tokens.by_ref().take(2).collect();
            if is_test(&attribute[1]) {
                return Err(Error::new(
                    attribute[1].span(),
                    "#[gordian::test] makes the function a test; remove the other #[test]",
                ));
            }
            attributes.push(attribute.into_iter().collect());
        }
        let mut visibility = TokenStream::new();
        let name = loop {
            match tokens.next() {
                Some(TokenTree::Ident(word)) if word == "fn" => match tokens.next() {
                    Some(TokenTree::Ident(name)) => break name,
                    other => return Err(not_a_function(other)),
                },
                Some(TokenTree::Ident(word)) if word == "async" => {
                    return Err(Error::new(
                        word.span(),
                        "an async function cannot be a check: run its future to completion in an ordinary function instead",
                    ));
                }
                Some(TokenTree::Ident(word)) if word == "unsafe" => {
                    return Err(Error::new(
                        word.span(),
                        "a check cannot be an unsafe function: use an unsafe block inside it",
                    ));
                }
                Some(TokenTree::Ident(word)) if word == "const" || word == "extern" => {
                    return Err(Error::new(
                        word.span(),
                        format!("a check is an ordinary function, without `{word}`"),
                    ));
                }
                Some(TokenTree::Ident(word)) if word == "pub" => {
                    visibility.extend([TokenTree::Ident(word)]);
                    if let Some(TokenTree::Group(_)) = tokens.peek() {
                        visibility.extend(tokens.next());
                    }
                }
                other => return Err(not_a_function(other)),
            }
        };
        match tokens.next() {
            Some(TokenTree::Group(arguments)) if arguments.delimiter() == Delimiter::Parenthesis => {
                if !arguments.stream().is_empty() {
                    return Err(Error::new(
                        arguments.span(),
                        "a check takes no arguments: make what it needs inside, once for every execution",
                    ));
                }
            }
            _ => {
                return Err(Error::new(
                    name.span(),
                    "a check cannot be generic: call the generic function from one check for each type",
                ));
            }
        }
        let mut rest: Vec<TokenTree> = tokens.collect();
        let body = match rest.pop() {
            Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
            _ => return Err(Error::new(name.span(), "a check needs a body")),
        };
        let mut markers = Vec::new();
        find_markers(body.stream(), &mut markers);
        Ok(Function {
            attributes,
            visibility,
            name,
            returns: rest.into_iter().collect(),
            body: TokenTree::Group(body),
            markers,
        })
    }
}

fn not_a_function(at: Option<TokenTree>) -> Error {
    Error::new(at.map_or_else(Span::call_site, |t| t.span()), "#[gordian::test] goes on a function")
}

/// Is it the bracket of an attribute `test`, `core::prelude::v1::test` or the like?
fn is_test(bracket: &TokenTree) -> bool {
    let TokenTree::Group(group) = bracket else { return false };
    let mut path =
        group.stream().into_iter().filter(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ':'));
    let last = path.by_ref().take_while(|t| matches!(t, TokenTree::Ident(_))).last();
    matches!(last, Some(TokenTree::Ident(word)) if word == "test")
}

/// Finds `cover!("name")` anywhere in the tokens.
fn find_markers(tokens: TokenStream, markers: &mut Vec<TokenTree>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let called = i >= 2
            && matches!(&tokens[i - 2], TokenTree::Ident(word) if word == "cover")
            && matches!(&tokens[i - 1], TokenTree::Punct(p) if p.as_char() == '!');
        match group.stream().into_iter().next() {
            Some(name @ TokenTree::Literal(_)) if called => markers.push(name),
            _ => find_markers(group.stream(), markers),
        }
    }
}
