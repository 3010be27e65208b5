/**
 * Meaning of a statement's bytes: lexer, digest and statement summary.
 *
 * <p>Knows the {@code sql_mode} and character set bits that change tokenising, and nothing of connections or packets.
 * When in doubt a statement is "not pure".
 */
@NullMarked
package io.understudy.sql;

import org.jspecify.annotations.NullMarked;
