/** What a survivor lacks, as reports and as a file that brings it back. */
@NullMarked
package io.understudy.plugins.blackbox.lost;

import org.jspecify.annotations.NullMarked;
