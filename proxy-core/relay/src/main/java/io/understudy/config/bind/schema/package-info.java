/**
 * The JSON Schema of a record: the components and types that the binder accepts, their defaults, and the sentence that
 * describes each.
 */
@NullMarked
package io.understudy.config.bind.schema;

import org.jspecify.annotations.NullMarked;
