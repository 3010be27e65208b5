/** The texts of reports, and where their figures come from: a running proxy, or the binary log. */
@NullMarked
package io.understudy.report;

import org.jspecify.annotations.NullMarked;
