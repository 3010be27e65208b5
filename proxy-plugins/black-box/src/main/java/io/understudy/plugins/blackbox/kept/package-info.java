/** What is kept until every standby has applied it: in memory, or in a log. */
@NullMarked
package io.understudy.plugins.blackbox.kept;

import org.jspecify.annotations.NullMarked;
