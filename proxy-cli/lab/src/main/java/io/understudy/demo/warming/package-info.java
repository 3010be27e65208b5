/**
 * The experiment of {@code understudy demo warming}: a standby that has just restarted, warmed by mirrored reads, and
 * what it reads from disk after its promotion, beside the forecast.
 */
@NullMarked
package io.understudy.demo.warming;

import org.jspecify.annotations.NullMarked;
