/**
 * GTID domains by rule: which domain a session's next write belongs to, the statement that sets it, and the guard that keeps
 * dependent work in one domain. Where the guard cannot help is said in {@code docs/gtid-domains.md}.
 */
@NullMarked
package io.understudy.plugins.gtiddomain;

import org.jspecify.annotations.NullMarked;
