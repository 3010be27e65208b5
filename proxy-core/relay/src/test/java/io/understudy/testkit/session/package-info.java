/** Test doubles of a session's two ends. */
@NullMarked
package io.understudy.testkit.session;

import org.jspecify.annotations.NullMarked;
