/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The answer to a first word that is not a command of weft: what the user probably meant.
 */
#ifndef WF_SUGGEST_H
#define WF_SUGGEST_H

/* Prints one sentence, and returns WF_EXIT_USAGE. A program (weft mpirun -n 4 ./app) is answered with the whole command
 * behind weft run, any other word with the nearest command. `argv` is ended by NULL. */
int wf_suggest(char **argv);

#endif
