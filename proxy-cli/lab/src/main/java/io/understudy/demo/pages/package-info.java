/**
 * The experiment of {@code understudy demo pages}: a table that lost a third of its rows is reported on, rebuilt on the
 * standby under load, and reported on again. Loads and measurements of that subject belong here; servers come from
 * {@code embedded}.
 */
@NullMarked
package io.understudy.demo.pages;

import org.jspecify.annotations.NullMarked;
