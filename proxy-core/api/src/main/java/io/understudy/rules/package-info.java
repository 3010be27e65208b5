/**
 * The {@code match} keys that the rules of every plugin share. A rule is parsed once and split into a part that depends
 * on the session and one that depends on the statement; the results of both are cached, so evaluating a repeated
 * statement costs a lookup. Depends on the plugin API and the statement summaries, on no plugin and no configuration
 * file.
 */
@NullMarked
package io.understudy.rules;

import org.jspecify.annotations.NullMarked;
