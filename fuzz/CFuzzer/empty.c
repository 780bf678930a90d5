/* Only the prototype in include/ is wanted. */
