/**
 * What a statement's bytes mean: byte lexer, digest and statement summary.
 *
 * <p>Knows the {@code sql_mode} and character set bits that change how text is cut into tokens, and nothing of
 * connections or packets. Everything here answers "not pure" when it is not sure.
 */
@NullMarked
package io.understudy.sql;

import org.jspecify.annotations.NullMarked;
