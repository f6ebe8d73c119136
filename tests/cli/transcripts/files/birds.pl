% made by hand
#format 2.
#lock bird(X) :- penguin(X).
:- flies(X), penguin(X).
swims(X) :- duck(X).
swims(X) ; walks(X) :- penguin(X).
#pin 0.95 :: nests(X) :- bird(X), small(X).
0.9 :: flies(X) :- bird(X).
0.8 :: sings(X) :- flies(X), small(X).
0.8 :: sings(X) :- parent(Y, X), sings(Y), nests(Y).
0.6 :: parent(X, Y) :- feeds(X, Y), nests(X).
0.5 :: :- sings(X), duck(X).
0.3 :: friends("tweety", X) :- small(X), friends(X, "tweety").
#ban flies(X) :- small(X).
0.2 :: false.
