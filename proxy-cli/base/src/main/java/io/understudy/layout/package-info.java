/** Texts of reports: one renderer, and a template for each view. */
@NullMarked
package io.understudy.layout;

import org.jspecify.annotations.NullMarked;
