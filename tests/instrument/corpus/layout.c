/* Directives, comments and continuation lines in every place around a loop. */
#include <stdio.h>

static int f(int x)
{
    return x + 2;
}

static int conditional(int n)
{
    int s = 0;
#if 1
    for (int i = 0; i < n; i++) {
#else
    for (int i = n; i > 0; i--) {
#endif
        s += f(i);
    }
    for (int i = 0; i < n; i++)
#ifdef NEVER
        s -= f(i);
#else
        s += f(i); /* here */
#endif
    while (n > 0) {
        n--;
#if 0
    }
    don't look "here
#endif
    }
    return s;
}

static int comments(int n) /* { */
{ // { first
    int s = 0; /* for ( ;; ) { */ for /* a */ (int /* b */ i = 0; i < n; i++) /* c */ s += f(i) /* d */; // e
    for (int i = 0; i < n; i++) // a comment that goes on \
        and on
        s += f(i);
    for (int i = 0; i < n; i++) /* one that
        ends here */ s += f(i); /* another one
        and here */ s++;
    for (int i = 0; i < n; i++) { s += f(i); } /* one
    more */
    return s;
}

static int \
    continued(int n) \
    { int s = 0; for \
    (int i = 0; i < n; i++) \
        s += f(i); \
    return s; }

static int	tabs(int n)
{	int s = 0;	for (int i = 0; i < n; i++)	s += f(i);
	for (int i = 0;
	     i < n;
	     i++)
	{
		s += f(i);
	}	return s;	}

static int digraphs(int n)
<%
    int v<:3:> = <%1, 2, 3%>, s = 0;
    for (int i = 0; i < n; i++) <% s += v<:i % 3:> + f(i); %>
    return s;
%>

int main(void)
{
    printf("%d %d %d %d %d\n", conditional(5), comments(6), continued(7), tabs(8), digraphs(9));
    return __LINE__ == 75 ? 0 : 1;
}
