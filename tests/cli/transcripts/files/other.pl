bird(X) :- penguin(X).
:- flies(X), penguin(X).
:- swims(X), small(X).
0.93 :: flies(X) :- bird(X).
0.85 :: sings(Y) :- small(Y), flies(Y).
0.7 :: swims(X) :- duck(X).
0.4 :: friends(X, Y) :- friends(Y, X).
0.1 :: false.
