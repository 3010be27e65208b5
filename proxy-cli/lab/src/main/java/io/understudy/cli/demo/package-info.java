/** {@code understudy demo} and its experiments: options only, the experiments are in {@code io.understudy.demo}. */
@NullMarked
package io.understudy.cli.demo;

import org.jspecify.annotations.NullMarked;
