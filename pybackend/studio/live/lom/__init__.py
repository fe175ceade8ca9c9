"""The classes of Live's object model, as scripts see them."""
