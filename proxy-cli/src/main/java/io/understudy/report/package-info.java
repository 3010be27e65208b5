/** Reports as text for people, and where they come from: a running proxy or the binary log. */
@NullMarked
package io.understudy.report;

import org.jspecify.annotations.NullMarked;
