0.95 :: likes(X, Y) :- knows(X, Y), kind(Y).
0.9 :: likes(X, Y) :- helps(Y, X).
0.85 :: likes(X, Y) :- near(X, Y).
0.8 :: likes(X, Y) :- near(Y, X), kind(X).
0.75 :: likes(X, Y) :- knows(X, Y).
0.7 :: likes(X, Y) :- knows(Y, X).
0.65 :: kind(X) :- helps(X, Y).
0.6 :: knows(X, Y) :- near(X, Z), near(Z, Y).
0.1 :: false.
