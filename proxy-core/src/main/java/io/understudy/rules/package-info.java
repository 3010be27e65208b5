/**
 * The {@code match} keys that every plugin's rules share. A rule is parsed once, split into what a session decides and
 * what a statement decides, and evaluated with both answers cached, so that a repeated statement costs a lookup. Knows the
 * plugin API and the statement summaries, no plugin and no configuration file.
 */
@NullMarked
package io.understudy.rules;

import org.jspecify.annotations.NullMarked;
