/**
 * The problems of a document: each one with its position, the offending line without its secrets, and the known word
 * that was probably meant.
 */
@NullMarked
package io.understudy.config.bind.problem;

import org.jspecify.annotations.NullMarked;
